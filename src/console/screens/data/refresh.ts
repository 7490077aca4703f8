import type { Answer } from '../../api/client.ts'
import { durationText, msOfDuration } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { conditionsOf, filterOf, isWhole, NO_CONDITIONS } from './filter.ts'
import type { Conditions, Filter } from './filter.ts'
import { refusedScript, scriptBody, scriptDraftOf } from './script-origin.ts'
import type { ScriptDraft } from './script-origin.ts'
import type { TableInfo } from './sources.ts'

export type Refresh = Answer<'/dataSources/{id}/tables/{table}/refresh'>
/** Rows of a table of a database. */
type Foreign = Extract<Refresh['from'], { readonly kind: 'foreign' }>
export type RefreshState = NonNullable<TableInfo['refresh']>

/** The times between refreshes that the form offers; the empty one is on demand. */
const EVERY = ['', 'PT5M', 'PT15M', 'PT1H', 'PT6H', 'P1D', 'P7D'] as const

/** A copy of a table in a form. */
export type RefreshDraft = {
  /** The name of the copy. */
  readonly table: string
  /** Empty while none is chosen. */
  readonly dataSourceId: string
  readonly from: string
  /** Null for all columns that the table has. */
  readonly columns: readonly string[] | null
  /** Null for a filter that the form cannot show. */
  readonly conditions: Conditions | null
  readonly every: string
  /** The origin of the rows: a table of a database, or a file of a script. */
  readonly kind: 'foreign' | 'script'
  readonly script: ScriptDraft
}

export function refreshDraftOf(refresh: Refresh | null): RefreshDraft {
  const from: Foreign | null = refresh?.from.kind === 'foreign' ? refresh.from : null
  return {
    table: refresh?.table ?? '',
    dataSourceId: from ? String(from.dataSourceId) : '',
    from: from?.table ?? '',
    columns: from?.columns ?? null,
    conditions: from ? conditionsOf(from.filter) : NO_CONDITIONS,
    every: refresh?.every ?? '',
    kind: refresh?.from.kind ?? 'foreign',
    script: scriptDraftOf(refresh?.from.kind === 'script' ? refresh.from : null),
  }
}

/** The copy in the shape of the API.
 * @param stored its filter stays where the form cannot show it, and so does the format of a file */
export function refreshBody(draft: RefreshDraft, stored: Refresh | null): object {
  const { dataSourceId, from, columns, conditions, every } = draft
  const former = stored?.from ?? null
  if (draft.kind === 'script') {
    const script = former?.kind === 'script' ? former : null
    return { from: scriptBody(draft.script, script), every: every === '' ? null : every }
  }
  const filter: Filter | null = former?.kind === 'foreign' ? former.filter : null
  const whole = conditions && { ...conditions, of: conditions.of.filter(isWhole) }
  return {
    from: {
      kind: 'foreign',
      dataSourceId: Number(dataSourceId),
      table: from,
      columns,
      filter: whole === null ? filter : filterOf(whole),
    },
    every: every === '' ? null : every,
  }
}

/** Why a copy cannot be saved yet. */
export function refusedCopy(draft: RefreshDraft): string | undefined {
  const { table, dataSourceId, from, columns } = draft
  if (draft.kind === 'script')
    return refusedScript(draft.script) ?? (table.trim() === '' ? t('data.refused.noTable') : undefined)
  if (dataSourceId === '' || from === '') return t('data.refresh.needsTable')
  if (table.trim() === '') return t('data.refused.noTable')
  return columns?.length === 0 ? t('data.refused.noColumns') : undefined
}

/** The choices of the time between refreshes, among them the present one. */
export function everyOptions(every: string): readonly { readonly value: string; readonly text: string }[] {
  const offered: readonly string[] = EVERY
  const values = offered.includes(every) ? offered : [...offered, every]
  return values.map((value) => ({ value, text: everyText(value) }))
}

/** How often rows are replaced, in words. */
export function everyText(every: string | null): string {
  if (every === null || every === '') return t('data.refresh.onDemand')
  const ms = msOfDuration(every)
  return t('data.refresh.every', { duration: ms === null ? every : durationText(ms) })
}

/** How well the refreshes of a table go. */
export type Course = 'never' | 'running' | 'failing' | 'fresh'

export function courseOf({ refreshedAt, isRefreshing, failures }: RefreshState): Course {
  if (isRefreshing) return 'running'
  if (failures > 0) return 'failing'
  return refreshedAt === null ? 'never' : 'fresh'
}

/** The sentence above the copies of a source. */
export function copiesSentence(states: readonly RefreshState[]): string {
  const failing = states.filter((state) => courseOf(state) === 'failing').length
  return t('data.refresh.say', { count: states.length, failing })
}
