import type { Context } from '../../../../context.ts'
import { VERSION } from '../../../../http/version.ts'
import { pointerOf } from '../../../../lib/pointer.ts'
import { definition as definitionSchema } from '../../definition.ts'
import { sightsOf } from '../../service/rights.ts'
import type { Sights } from '../../service/rights.ts'
import { storedDefinition } from '../../service/changes.ts'
import { listDashboards, readDashboards, nextDashboardId } from '../../store.ts'
import type { DashboardRow, SummaryRow } from '../../store.ts'
import { freeUrlName } from '../../url-name.ts'
import type { ImportBody, ImportView, PortableDashboard } from '../schema.ts'
import { decide, isNewer } from '../versions.ts'
import type { Action } from '../versions.ts'
import { keepUnknown } from '../widgets.ts'
import { resolveNames } from './resolve.ts'

type Problem = ImportView['errors'][number]

/** A dashboard of an import, and the outcome for it. */
export type Planned = {
  readonly file: PortableDashboard
  readonly action: Action
  readonly local: DashboardRow | null
  /** The id that it has or gets. */
  readonly id: number
  readonly uuid: string
  readonly urlName: string
  readonly number: number
  readonly localChanges: boolean
  /** As it is stored. */
  readonly definition: string
}

export type Plan = Pick<ImportView, 'unmatched' | 'warnings' | 'errors'> & {
  readonly sights: Sights
  readonly planned: readonly Planned[]
}

/** Compares an import with this service, and changes nothing. */
export async function planImport(context: Context, { mode, map, document }: ImportBody): Promise<Plan> {
  const { database } = context.ports
  const [sights, all] = await Promise.all([sightsOf(context), listDashboards(database)])
  const matches = document.dashboards.map((file) => matchOf(all, file))
  const rows = await readDashboards(
    database,
    matches.flatMap((row) => row?.id ?? []),
  )
  const locals = new Map(rows.map((row) => [row.id, row]))
  let nextId = await nextDashboardId(database)
  const ids = matches.map((row) => (row && mode !== 'copy' ? row.id : nextId++))
  const kept = document.dashboards.map(({ definition }) => keepUnknown(definition))
  const { definitions, unmatched } = await resolveNames(
    context,
    document.dashboards.map(({ urlName }, index) => ({ urlName, definition: kept[index]?.definition ?? {} })),
    { map, findDashboard: finder(document.dashboards, ids, all) },
  )
  const errors: Problem[] = []
  const warnings = warningsOf(
    document,
    kept.map((one) => one.kept),
  )
  const taken = new Set(all.map(({ urlName }) => urlName))
  const planned = document.dashboards.flatMap((file, index): Planned[] => {
    const local = locals.get(matches[index]?.id ?? 0) ?? null
    const parsed = definitionSchema.safeParse(definitions[index])
    if (!parsed.success) {
      errors.push(...faultsOf(file, parsed.error.issues))
      return []
    }
    if (local && !sights.ofDashboard(local).write)
      errors.push({
        code: 'import.forbidden',
        name: file.name,
        message: 'A dashboard with this uuid or URL name exists, which you may not change.',
      })
    const one = plannedOf(file, {
      mode,
      local,
      id: ids[index] ?? 0,
      definition: storedDefinition(parsed.data),
      taken,
    })
    if (one.isDowngrade)
      warnings.push({
        code: 'import.downgrade',
        name: file.name,
        message: 'An older version replaces a newer one.',
      })
    return [one]
  })
  return { sights, planned, unmatched, warnings, errors }
}

function warningsOf(document: ImportBody['document'], kept: readonly (readonly string[])[]): Problem[] {
  const unknown = kept.flatMap((widgets, index) =>
    widgets.map((id) => ({
      code: 'import.unknown_widget',
      name: document.dashboards[index]?.name ?? '',
      message: `The widget ${id} is of a newer release. It is kept unchanged.`,
    })),
  )
  const { release } = document
  if (release === undefined || !isNewer(release, VERSION)) return unknown
  const message = `The export is of the release ${release}, which is newer than ${VERSION}.`
  return [...unknown, { code: 'import.newer_system', name: release, message }]
}

function matchOf(all: readonly SummaryRow[], { uuid, urlName }: PortableDashboard): SummaryRow | undefined {
  return all.find((row) => row.uuid === uuid) ?? all.find((row) => row.urlName === urlName.toLowerCase())
}

function finder(files: readonly PortableDashboard[], ids: readonly number[], all: readonly SummaryRow[]) {
  return (uuid: string, urlName: string): number | null => {
    const own = files.findIndex((file) => file.uuid === uuid)
    if (own >= 0) return ids[own] ?? null
    return (all.find((row) => row.uuid === uuid) ?? all.find((row) => row.urlName === urlName))?.id ?? null
  }
}

type Matching = {
  readonly mode: ImportBody['mode']
  readonly local: DashboardRow | null
  readonly id: number
  readonly definition: string
  readonly taken: Set<string>
}

function plannedOf(
  file: PortableDashboard,
  { mode, local, id, definition, taken }: Matching,
): Planned & { readonly isDowngrade: boolean } {
  const { version } = file
  const here = local && { number: local.number, isSame: isSameAs(file, local, definition) }
  const { action, localChanges, isDowngrade } = decide(mode, version, here)
  const isNew = action === 'create' || action === 'copy'
  const fresh = { uuid: action === 'copy' ? crypto.randomUUID() : file.uuid, number: version }
  const own =
    local === null || isNew ? fresh : { uuid: local.uuid, number: numberAfter(action, version, local.number) }
  const urlName = local === null || isNew ? freeUrlName(file.urlName.toLowerCase(), taken) : local.urlName
  taken.add(urlName)
  return { file, action, local, id, ...own, urlName, localChanges, definition, isDowngrade }
}

function isSameAs(
  { name, description }: PortableDashboard,
  local: DashboardRow,
  definition: string,
): boolean {
  return local.name === name && local.description === description && local.definition === definition
}

function numberAfter(action: Action, version: number, local: number): number {
  return action === 'update' ? Math.max(version, local + 1) : local
}

function faultsOf(
  { name }: PortableDashboard,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Problem[] {
  return issues.map(({ path, message }) => ({
    code: 'import.invalid',
    name,
    message: `${pointerOf(path)} ${message}`.trim(),
  }))
}
