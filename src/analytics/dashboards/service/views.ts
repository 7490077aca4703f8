import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import { definition as definitionSchema, readDefinition } from '../definition.ts'
import type { Definition } from '../definition.ts'
import { missingIn, REFERENCE_KINDS, referencesOf } from '../references.ts'
import type { DashboardRef, DashboardView, ProblemView, ReadQuery, SummaryView } from '../schema.ts'
import * as store from '../store.ts'
import type { DashboardRow, SummaryRow } from '../store.ts'
import { strayTexts, translated } from '../translations.ts'
import { sightsOf } from './rights.ts'
import type { Sights } from './rights.ts'

export type FoundDashboard = {
  readonly row: DashboardRow
  readonly definition: Definition
  readonly sights: Sights
}

/** A dashboard that the caller may read, and whose definition can be read.
 * @throws {Refusal} not_found, forbidden */
export async function requireDashboard(
  context: Context,
  ref: DashboardRef,
  right: 'read' | 'write' | 'execute',
): Promise<FoundDashboard> {
  const { sights, row } = await requireRow(context, ref, right)
  const definition = readDefinition(row.definition)
  if (!definition) throw noSuch('dashboard')
  return { row, definition, sights }
}

/** As `requireDashboard`, for those that repair or delete a dashboard: its definition need not be readable. */
export async function requireRow(
  context: Context,
  ref: DashboardRef,
  right: 'read' | 'write' | 'execute',
): Promise<{ readonly row: DashboardRow; readonly sights: Sights }> {
  const { database, clock } = context.ports
  const [sights, row] = await Promise.all([
    sightsOf(context),
    store.findDashboard(database, ref, clock.now()),
  ])
  const permissions = row && sights.ofDashboard(row)
  if (!row || !permissions?.read) throw noSuch('dashboard')
  if (!permissions[right]) throw new Refusal('forbidden', `You have no right to ${right} this dashboard.`)
  return { row, sights }
}

type Seen = { readonly row: DashboardRow; readonly sights: Sights }
/** The targets of a dashboard that are gone, whether it has a public link, and the language of a view of it; empty for the texts
 * as they are stored. */
type Beside = { readonly gone: readonly Gone[]; readonly isPublic: boolean; readonly language: string }

/** A dashboard as the caller sees it. @throws {Refusal} not_found for a definition that cannot be read, but for writers */
export async function viewOf(
  context: Context,
  { row, sights }: Seen,
  { language, raw }: ReadQuery,
): Promise<DashboardView> {
  const { database, clock } = context.ports
  if (!readDefinition(row.definition) && !(raw && sights.ofDashboard(row).write)) throw noSuch('dashboard')
  const [gone, publics, own] = await Promise.all([
    store.listGone(database, [row.id]),
    store.listPublic(database, { dashboardId: row.id, now: clock.now() }),
    raw || language !== undefined ? '' : store.languageOfUser(database, sights.userId),
  ])
  const wanted = raw ? '' : (language ?? own)
  return viewWith(context.ports, { row, sights }, { gone, isPublic: publics.has(row.id), language: wanted })
}

/** The answer to a change: the row as its commit left it, since another user may have changed it again, or the change may
 * have taken the right to read it from the caller. */
export async function writtenView(
  context: Context,
  written: Seen,
): Promise<{ readonly view: DashboardView; readonly version: number }> {
  return { view: await viewOf(context, written, { raw: true }), version: written.row.version }
}

/** As `viewOf`, from rows that were read before. */
export function viewWith(
  ports: Ports,
  { row, sights }: Seen,
  { gone, isPublic, language }: Beside,
): DashboardView {
  const definition = readDefinition(row.definition)
  const problems = definition ? problemsOf(definition, gone) : [UNREADABLE]
  const named = {
    name: row.name,
    description: row.description,
    definition: definition ?? definitionSchema.parse({}),
  }
  const shown = language === '' ? { ...named, language: null } : translated(named, language)
  const permissions = sights.ofDashboard(row)
  return {
    ...summaryOf(ports, row, { permissions, isValid: !problems.some(isInvalid), isPublic }),
    ...shown,
    problems,
    references: referenceIds(named.definition),
  }
}

const UNREADABLE: ProblemView = {
  pointer: '/definition',
  code: 'unreadable',
  message: 'This release cannot read the definition. Replace it, or restore a version.',
}

const INVALID: ReadonlySet<ProblemView['code']> = new Set(['gone', 'unmatched', 'unreadable'])

function isInvalid({ code }: ProblemView): boolean {
  return INVALID.has(code)
}

type Gone = Awaited<ReturnType<typeof store.listGone>>[number]

const NOUNS: Readonly<Record<Gone['kind'], string>> = {
  object: 'object',
  dataQuery: 'data query',
  script: 'script',
  dashboard: 'dashboard',
  file: 'file',
  forecast: 'forecast',
}

function problemsOf(definition: Definition, gone: readonly Gone[]): ProblemView[] {
  const unknown = Object.entries(definition.widgets).filter(([, { kind }]) => kind === 'unknown')
  return [
    ...gone.map(({ pointer, kind, targetId, targetName }): ProblemView => ({
      pointer: `/definition${pointer}`,
      code: 'gone',
      message: `The ${NOUNS[kind]} ${targetName || targetId} does not exist any more.`,
    })),
    ...missingIn(definition).map((pointer): ProblemView => ({
      pointer: `/definition${pointer}`,
      code: 'unmatched',
      message: 'Nothing was found for it at the import. Choose what it refers to.',
    })),
    ...unknown.map(([id]): ProblemView => ({
      pointer: `/definition${pointerOf(['widgets', id])}`,
      code: 'unknown_widget',
      message: 'This release does not know the kind of this widget, and keeps it unchanged.',
    })),
    ...strayTexts(definition).map((path): ProblemView => ({
      pointer: `/definition${pointerOf(path)}`,
      code: 'stray_translation',
      message: 'The dashboard has no text at this path.',
    })),
  ]
}

function referenceIds(definition: Definition): DashboardView['references'] {
  const found = referencesOf(definition)
  return Object.fromEntries(
    REFERENCE_KINDS.map((kind) => {
      const targets = found
        .filter((reference) => reference.kind === kind)
        .map(({ targetId, targetName }) => (kind === 'file' ? targetName : targetId))
      return [kind, [...new Set(targets)]]
    }),
  )
}

type Marks = {
  readonly permissions: SummaryView['permissions']
  readonly isValid: boolean
  readonly isPublic: boolean
}

export function summaryOf(
  { settings }: Pick<Ports, 'settings'>,
  row: SummaryRow,
  { permissions, isValid, isPublic }: Marks,
): SummaryView {
  const { id, uuid, name, urlName, groupId, description, number, managedBy, createdAt, updatedAt } = row
  const format = timeFormat(settings.timeZone)
  return {
    id,
    uuid,
    name,
    urlName,
    groupId,
    description,
    version: number,
    valid: isValid,
    public: isPublic,
    permissions,
    managedBy,
    createdAt: format(createdAt),
    updatedAt: format(updatedAt),
    updatedBy: row.updatedBy,
  }
}
