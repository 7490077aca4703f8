import { listDataSources } from '../../data/sources/service.ts'
import type { Context } from '../../context.ts'
import { digestHex } from '../../lib/digest.ts'
import { Refusal } from '../../lib/errors.ts'
import { foldCase } from '../../lib/text.ts'
import type { Ports } from '../../ports/index.ts'
import { detect } from '../scripts/detection.ts'
import { directoryAt, putFile, readTree } from '../scripts/files/service.ts'
import { groupIdOf, listGroups, readGroup } from '../scripts/groups/service.ts'
import { listOwnConfigurations, listRunConfigurations } from '../scripts/run-configurations/service.ts'
import { readScript } from '../scripts/service.ts'
import { findScript } from '../scripts/service/changes.ts'
import { importScript, nameTaken } from '../scripts/service/import.ts'
import type { TreeEntry } from '../scripts/tree.ts'
import type { Metadata } from './archive.ts'
import type { AnalysisView, Failed, UploadFields, UploadView } from './schema.ts'
import { bytesOf, eachScript } from './service/reader.ts'
import type { FoundScript, RefusedScript, UploadedArchive } from './service/reader.ts'

/** A dry run of an import: every byte of the archive is read, and nothing is stored.
 * @throws {Refusal} zip_unsafe, invalid, unavailable */
export async function analyzePackage(
  context: Context,
  sent: UploadedArchive,
  isMetadataRead: boolean,
): Promise<AnalysisView> {
  const groups = new Set((await listGroups(context)).map(({ name }) => foldCase(name)))
  const sources = new Set((await listDataSources(context)).map(({ name }) => foldCase(name)))
  const scripts: AnalysisView['scripts'] = []
  const refused = await eachScript(context.ports, { ...sent, isMetadataRead }, async (found) => {
    const { file, name, group, entries, metadata } = found
    const { runner, warnings } = detect(entries.flatMap(({ path, isDirectory }) => (isDirectory ? [] : path)))
    const { files, conflict } = await comparedWith(context, found)
    const secrets = await secretsOf(context.ports, conflict?.scriptId ?? null, metadata)
    scripts.push({
      file,
      name,
      group,
      groupExists: group !== null && groups.has(foldCase(group)),
      runner,
      files,
      conflict,
      missingSecrets: secrets,
      missingDataSources: namedBy(metadata).filter((one) => !sources.has(foldCase(one))),
      warnings: [...warnings],
    })
  })
  return { scripts, errors: refused.map(failedOf) }
}

/** Adds the scripts of an archive, each as a whole or not at all: into one group, or for null into the group that the archive
 * names for it, which is made where it is missing, or else into `Default`.
 * @throws {Refusal} zip_unsafe, invalid, unavailable; where no script is imported, what refuses the first */
export async function importPackage(
  context: Context,
  sent: UploadedArchive,
  { groupId, readMetadata: isMetadataRead, toImport, overwrite }: UploadFields & { groupId: number | null },
): Promise<UploadView> {
  const asked = new Map(toImport?.map((name) => [foldCase(name), name]))
  const isAsked = (name: string) => toImport === undefined || asked.has(foldCase(name))
  const imported: UploadView['imported'] = []
  const refused = await eachScript(context.ports, { ...sent, isMetadataRead }, async (found) => {
    if (isAsked(found.name)) imported.push(await importFound(context, found, { groupId, overwrite }))
  })
  const failed = refused.filter(({ name }) => name === null || isAsked(name))
  for (const { name } of [...imported, ...failed]) if (name !== null) asked.delete(foldCase(name))
  const missing = [...asked.values()].map((name) => {
    const refusal = new Refusal('not_found', 'The archive has no script with this name.')
    return { file: null, name, refusal }
  })
  const errors = [...failed, ...missing]
  const [first] = errors
  if (imported.length === 0 && first) throw nothingImported(first.refusal, errors)
  return { imported, errors: errors.map(failedOf) }
}

/** @throws {Refusal} not_found when there is no such group of scripts */
export async function requireGroup(context: Context, groupId: number): Promise<void> {
  await readGroup(context, groupId)
}

async function importFound(
  context: Context,
  found: FoundScript,
  { groupId, overwrite }: { readonly groupId: number | null; readonly overwrite: boolean },
): Promise<UploadView['imported'][number]> {
  const { ports } = context
  const { name, group, metadata } = found
  const there = await findScript(ports, name)
  if (there && !overwrite) throw nameTaken()
  const entries = await putAll(ports, found, there?.id ?? null)
  const home = groupId ?? group ?? (await groupIdOf(ports, undefined))
  const incoming = { name, group: home, entries, settings: metadata }
  const { id, action, groupId: inGroup, detection } = await importScript(context, incoming, { overwrite })
  const configurations = await listRunConfigurations(context, String(id))
  const variables = configurations.flatMap(({ envVariables }) => envVariables)
  const unset = variables.flatMap((one) => ('valueSet' in one && !one.valueSet ? one.key : []))
  const missingSecrets = [...new Set([...unset, ...(metadata?.secretNames ?? [])])]
  return { name, id, action, groupId: inGroup, missingSecrets, warnings: [...detection.warnings] }
}

/** Puts the files of a script; those that it has already, with the same bytes, are not put again. */
async function putAll(ports: Ports, { entries }: FoundScript, scriptId: number | null): Promise<TreeEntry[]> {
  const there = scriptId === null ? null : await readTree(ports, scriptId)
  const put: TreeEntry[] = []
  for (const entry of entries) {
    const { path, isDirectory } = entry
    if (isDirectory) {
      put.push({ ...directoryAt(path), updatedAt: ports.clock.now() })
      continue
    }
    const bytes = await bytesOf(entry)
    const same = there?.get(path)
    const isSame = same?.sizeBytes === bytes.byteLength && same.sha256 === (await digestHex(bytes))
    put.push(isSame ? same : await putFile(ports, scriptId, path, bytes))
  }
  return put
}

/** The files of a script in an archive, beside the files of the script that has its name. */
async function comparedWith(
  context: Context,
  { name, entries }: FoundScript,
): Promise<Pick<AnalysisView['scripts'][number], 'files' | 'conflict'>> {
  const there = await findScript(context.ports, name)
  const tree = there ? [...(await readTree(context.ports, there.id)).values()] : []
  const before = new Map(
    tree.flatMap(({ path, isDirectory, sha256 }) => (isDirectory ? [] : [[path, sha256]])),
  )
  const files: AnalysisView['scripts'][number]['files'] = []
  for (const entry of entries) {
    const { path, isDirectory, sizeBytes } = entry
    if (isDirectory) continue
    const known = before.get(path)
    const isSame = known === (await digestHex(await bytesOf(entry)))
    const changed = isSame ? 'same' : 'changed'
    files.push({ path, size: sizeBytes, change: known === undefined ? 'added' : changed })
  }
  files.sort(byPath)
  if (!there) return { files, conflict: null }
  const coming = new Set(files.map(({ path }) => path))
  const removedFiles = [...before.keys()].filter((path) => !coming.has(path)).sort()
  const identical = removedFiles.length === 0 && files.every(({ change }) => change === 'same')
  const { count } = (await readScript(context, String(there.id))).view.dependents
  return { files, conflict: { scriptId: there.id, identical, removedFiles, dependents: { count } } }
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : Number(one.path > other.path)
}

/** Secrets that the archive names and nothing has a value for. */
async function secretsOf(
  ports: Ports,
  scriptId: number | null,
  metadata: Metadata | null,
): Promise<string[]> {
  const rows = scriptId === null ? [] : await listOwnConfigurations(ports, scriptId)
  const there = new Map(rows.map((row) => [foldCase(row.name), row.secrets]))
  const unset = (metadata?.runConfigurations ?? []).flatMap(({ name, envVariables }) => {
    const known = there.get(foldCase(name)) ?? {}
    return envVariables.flatMap(({ key, value }) =>
      value === undefined && !Object.hasOwn(known, key) ? key : [],
    )
  })
  return [...new Set([...unset, ...(metadata?.secretNames ?? [])])]
}

/** The data sources that run configurations name, each once; one that was gone when it was exported has no name. */
function namedBy(metadata: Metadata | null): string[] {
  const named = (metadata?.runConfigurations ?? []).flatMap((one) =>
    one.kind === 'database' ? (one.database.dataSource ?? '') : [],
  )
  return [...new Set(named)]
}

function failedOf({
  file,
  name,
  refusal,
}: Omit<RefusedScript, 'file'> & { readonly file: string | null }): Failed {
  const faults = refusal.errors.map(({ pointer, message }) => `${pointer} ${message}`)
  const detail = faults.length === 0 ? refusal.detail : `${refusal.detail} ${faults.join('; ')}`
  return { file, name, code: refusal.code, detail }
}

function nothingImported({ code, detail, errors }: Refusal, failed: readonly object[]): Refusal {
  if (failed.length === 1) return new Refusal(code, detail, errors)
  const faults = failed.map((_, index) => ({ pointer: `/file/${index}`, message: 'was not imported' }))
  return new Refusal(code, `Nothing was imported. ${detail}`, faults)
}
