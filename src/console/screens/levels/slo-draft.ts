import { changedFields } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import { commonOf, isNumber, numberOf, plainText, propertiesText, yesText } from './draft.ts'
import type { Common } from './draft.ts'
import { COUNTERS } from './rules.ts'
import type { Counter, Counters, Slo } from './rules.ts'

/** A service while it is edited; numbers are texts, and an empty counter is 0. */
export type SloDraft = Common & {
  readonly deviceId: number
  readonly stateOperation: Slo['stateOperation']
  readonly counters: Readonly<Record<Counter, string>>
  readonly ignoreMaintenance: boolean
  readonly pushState: Slo['pushState']
  readonly sortMode: Slo['sortMode']
  readonly isReason: boolean
  readonly childrenFilter: Filter | null
  readonly costsPerMin: string
  readonly currency: string
  readonly riskFactor: string
}
export type Filter = Pick<NonNullable<Slo['childrenFilter']>, 'groupId' | 'filterDefinition'>

export function sloDraftOf(slo: Slo): SloDraft {
  const { costsPerMin, currency, riskFactor } = slo.parameters
  const { childrenFilter: filter } = slo
  return {
    ...commonOf(slo),
    deviceId: slo.deviceId,
    stateOperation: slo.stateOperation,
    counters: Object.fromEntries(
      COUNTERS.map((counter) => [counter, slo[counter] === 0 ? '' : String(slo[counter])]),
    ) as SloDraft['counters'],
    ignoreMaintenance: slo.ignoreMaintenance,
    pushState: slo.pushState,
    sortMode: slo.sortMode,
    isReason: slo.isReason,
    childrenFilter: filter && { groupId: filter.groupId, filterDefinition: filter.filterDefinition },
    costsPerMin: String(costsPerMin),
    currency,
    riskFactor: String(riskFactor),
  }
}

/** The counters as numbers; one that is being typed is 0. */
export function countersOf({ counters }: SloDraft): Counters {
  return Object.fromEntries(
    COUNTERS.map((counter) => [counter, isNumber(counters[counter]) ? numberOf(counters[counter]) : 0]),
  ) as Counters
}

/** The merge patch of what the user has changed. */
export function sloPatchOf(slo: Slo, draft: SloDraft): Record<string, unknown> {
  const { counters, costsPerMin, currency, riskFactor, ...plain } = changedFields(sloDraftOf(slo), draft)
  const parameters = {
    ...(costsPerMin === undefined ? {} : { costsPerMin: numberOf(costsPerMin) }),
    ...(currency === undefined ? {} : { currency: currency.trim().toUpperCase() }),
    ...(riskFactor === undefined ? {} : { riskFactor: numberOf(riskFactor) }),
  }
  return {
    ...plain,
    ...(counters === undefined ? {} : countersOf(draft)),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  }
}

/** Why a draft cannot be saved; undefined when it can. */
export function sloFault({ name, counters, costsPerMin, riskFactor }: SloDraft): string | undefined {
  if (name.trim() === '') return t('levels.noName')
  const isGood =
    Object.values(counters).every((text) => text.trim() === '' || isNumber(text)) &&
    isNumber(costsPerMin) &&
    isNumber(riskFactor)
  return isGood ? undefined : t('levels.badNumber')
}

const TEXTS: { readonly [F in keyof SloDraft]?: (draft: SloDraft) => string } = {
  properties: ({ properties }) => propertiesText(properties),
  stateOperation: ({ stateOperation }) => t(`levels.operation.${stateOperation}`),
  pushState: ({ pushState }) => t(`levels.push.${pushState}`),
  sortMode: ({ sortMode }) => t(`levels.sort.${sortMode}`),
  isTemplate: ({ isTemplate }) => yesText(isTemplate),
  ignoreMaintenance: ({ ignoreMaintenance }) => yesText(ignoreMaintenance),
  isReason: ({ isReason }) => yesText(isReason),
  childrenFilter: ({ childrenFilter }) => (childrenFilter === null ? '–' : JSON.stringify(childrenFilter)),
  counters: ({ counters }) =>
    COUNTERS.filter((counter) => counters[counter] !== '')
      .map((counter) => `${t(`levels.counter.${counter}`)}: ${counters[counter]}`)
      .join('\n'),
}

/** A field of a draft for people. */
export function sloText(draft: SloDraft, field: keyof SloDraft): string {
  return TEXTS[field]?.(draft) ?? plainText(draft[field])
}
