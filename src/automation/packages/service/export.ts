import { listDataSources } from '../../../data/sources/service.ts'
import { openBlob } from '../../../content/blobs/service.ts'
import type { Context } from '../../../context.ts'
import { collect } from '../../../http/bytes.ts'
import { INTERFACE_RELEASE } from '../../../http/version.ts'
import { chunkOf } from '../../../lib/chunks.ts'
import type { Chunks } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { packed } from '../../../lib/zip/writer.ts'
import type { Packable } from '../../../lib/zip/writer.ts'
import type { Ports } from '../../../ports/index.ts'
import { readTree } from '../../scripts/files/service.ts'
import { listGroups } from '../../scripts/groups/service.ts'
import { selectScripts } from '../../scripts/service.ts'
import type { SettingsView } from '../../scripts/settings/schema.ts'
import { readSettings } from '../../scripts/settings/service.ts'
import { FILE_MAX_BYTES } from '../../scripts/tree.ts'
import type { TreeEntry } from '../../scripts/tree.ts'
import { MANIFEST_FILE, manifestText, METADATA_FILE, metadataText } from '../archive.ts'
import { withoutSecrets } from '../env-file.ts'
import { placeFor } from '../names.ts'
import type { ExportBody } from '../schema.ts'
import { PACKAGE_BOUNDS } from './reader.ts'

/** Gives each run of a script variables (`docs/guides/scripts.md`). */
const ENV_FILE = '.env'

/** The names of data sources, by id. */
type SourceNames = ReadonlyMap<number, string>

type Outgoing = {
  readonly settings: SettingsView
  readonly group: string
  readonly sources: SourceNames
  readonly tree: readonly TreeEntry[]
  /** The place of the archive of the script. */
  readonly file: string
}

/** An archive of scripts, each in an archive of its own, as it comes: trees and settings, without secrets, tokens and runs.
 * An export can be imported in one call, unless it exceeds 100 MB compressed.
 * @throws {Refusal} invalid for what is not there, or when it is too much; while it is read, unavailable */
export async function exportScripts(
  context: Context,
  body: ExportBody,
  bounds = PACKAGE_BOUNDS,
): Promise<{ readonly name: string; readonly chunks: Chunks }> {
  const { ports } = context
  const ids = await selectScripts(context, body, bounds.scriptsMax + 1)
  if (ids.length > bounds.scriptsMax) throw tooMuch(`${bounds.scriptsMax} scripts`)
  const groups = new Map((await listGroups(context)).map(({ id, name }) => [id, name]))
  const sources = new Map((await listDataSources(context)).map(({ id, name }) => [id, name]))
  const taken = new Set<string>()
  const scripts: Outgoing[] = []
  let [entries, sizeBytes] = [1, 0]
  for (const id of ids) {
    const { view: settings } = await readSettings(context, String(id))
    const tree = [...(await readTree(ports, id)).values()].filter(({ path }) => path !== METADATA_FILE)
    const group = groups.get(settings.groupId) ?? ''
    scripts.push({ settings, group, sources, tree, file: placeFor({ group, name: settings.name }, taken) })
    // Its archive and its metadata are entries as well; what is in an archive counts packed and unpacked.
    entries += tree.length + 2
    sizeBytes += 2 * tree.reduce((sum, entry) => sum + entry.sizeBytes, 0)
    if (entries > bounds.entriesMax) throw tooMuch(`${bounds.entriesMax} files`)
    if (sizeBytes > bounds.unpackedMaxBytes) throw tooMuch(`${bounds.unpackedMaxBytes / 2} bytes`)
  }
  const exportedAt = timeFormat(ports.settings.timeZone)(ports.clock.now())
  const chunks = packed(packageOf(ports, scripts, exportedAt))
  return { name: `scripts_${exportedAt.slice(0, 10)}.zip`, chunks }
}

async function* packageOf(
  ports: Ports,
  scripts: readonly Outgoing[],
  exportedAt: string,
): AsyncGenerator<Packable, void> {
  const changedAt = ports.clock.now()
  const listed = scripts.map(({ settings, group, file }) => ({ name: settings.name, group, file }))
  const manifest = manifestText({ release: INTERFACE_RELEASE, exportedAt, scripts: listed })
  yield { path: MANIFEST_FILE, changedAt, chunks: textChunks(manifest) }
  for (const script of scripts) {
    const chunks = packed(scriptOf(ports, script, changedAt))
    yield { path: script.file, changedAt, chunks, isPacked: true }
  }
}

async function* scriptOf(
  ports: Ports,
  { settings, group, sources, tree }: Outgoing,
  changedAt: number,
): AsyncGenerator<Packable, void> {
  const variables = await variablesIn(ports, tree)
  const about = { ...metadataOf(settings, group, sources), secretNames: variables?.secretNames ?? [] }
  yield { path: METADATA_FILE, changedAt, chunks: textChunks(metadataText(about)) }
  for (const { path, blob, updatedAt, isText } of tree) {
    if (path === ENV_FILE && variables)
      yield { path, changedAt: updatedAt, chunks: textChunks(variables.text) }
    else if (blob === null) yield { path: `${path}/`, changedAt: updatedAt, chunks: textChunks('') }
    // Binary files are compressed already, as libraries are, or are stored as they are.
    else yield { path, changedAt: updatedAt, chunks: blobChunks(ports, blob), isPacked: !isText }
  }
}

/** The variables that a script brings along, without those that are secrets; null where no line has to go. */
async function variablesIn(ports: Ports, tree: readonly TreeEntry[]) {
  const blob = tree.find(({ path }) => path === ENV_FILE)?.blob
  if (blob == null) return null
  const left = withoutSecrets(
    new TextDecoder().decode(await collect(blobChunks(ports, blob), FILE_MAX_BYTES)),
  )
  return left.secretNames.length === 0 ? null : left
}

function metadataOf(settings: SettingsView, group: string, sources: SourceNames) {
  const { name, description, timeout, acceptedFiles, runConfigurations, scheduleConfigurations } = settings
  const nameOf = (id: number | null) => runConfigurations.find((one) => one.id === id)?.name ?? null
  return {
    name,
    description,
    timeout,
    acceptedFiles,
    group,
    runConfigurations: runConfigurations.map((one) => configurationOf(one, sources)),
    defaultRunConfiguration: runConfigurations.find(({ isDefault }) => isDefault)?.name ?? null,
    scheduleConfigurations: scheduleConfigurations.map((schedule) => ({
      name: schedule.name,
      enabled: schedule.enabled,
      cron: schedule.cron,
      timeZone: schedule.timeZone,
      runConfiguration: nameOf(schedule.runConfigurationId),
      misfire: schedule.misfire,
    })),
  }
}

/** A run configuration with the names of its secrets, without their values, and the name of its data source. */
function configurationOf(configuration: SettingsView['runConfigurations'][number], sources: SourceNames) {
  const {
    id: _id,
    changedBy: _by,
    reportTo: _job,
    createdAt: _at,
    updatedAt: _updated,
    ...set
  } = configuration
  const { envVariables, database, ...rest } = set
  const named = database && {
    dataSource: sources.get(database.dataSourceId) ?? null,
    access: database.access,
  }
  return {
    ...rest,
    database: named,
    envVariables: envVariables.filter((one) => 'value' in one),
    secretNames: envVariables.flatMap((one) => ('value' in one ? [] : one.key)),
  }
}

const textChunks = (text: string) => chunkOf(new TextEncoder().encode(text))

async function* blobChunks(ports: Ports, key: string): AsyncGenerator<Uint8Array, void> {
  const { body } = await openBlob(ports, key)
  for await (const chunk of body) yield chunk
}

function tooMuch(what: string): Refusal {
  return new Refusal(
    'invalid',
    'The export is too large for one archive; see errors. Export fewer scripts.',
    [{ pointer: '', message: `has more than ${what}, the limit of one archive` }],
  )
}
