import type { ServerEvent } from '../api/events.ts'

/** New alarms that are still to be announced, by id. */
export type NewAlarms = ReadonlyMap<number, { readonly state: 'major' | 'minor'; readonly name: string }>

/** The new alarms after an event: an opened or worsened alarm that is major or minor is added, one that eased or closed is
 * removed. */
export function withEvent(before: NewAlarms, { data }: ServerEvent): NewAlarms {
  const { alarmId, kind, state, name } = data
  if (typeof alarmId !== 'number') return before
  const after = new Map(before)
  if (kind === 'closed' || kind === 'eased') after.delete(alarmId)
  else if ((kind === 'opened' || kind === 'worsened') && (state === 'major' || state === 'minor'))
    after.set(alarmId, { state, name: String(name) })
  return after
}

/** The values of the sentence that announces alarms; null for none. */
export function announced(
  alarms: NewAlarms,
): { readonly count: number; readonly worst: 'major' | 'minor'; readonly name: string } | null {
  const all = [...alarms.values()]
  const worst = all.find(({ state }) => state === 'major') ?? all[0]
  return worst === undefined ? null : { count: all.length, worst: worst.state, name: worst.name }
}
