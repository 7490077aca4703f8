import type { Answer } from '../api/client.ts'
import { useGet } from '../api/resource.ts'
import type { Resource } from '../api/resource.ts'
import type { Alarm } from './alarms.ts'

type Alarms = Answer<'/alarms'>

const LATEST = 100
/** The greatest `limit` of `GET /alarms`. */
const LATEST_MAX = 1_000

/** The latest 100 open alarms. The parts of a page that use them share one read. */
export function useLatestAlarms(): Resource<Alarms> {
  return useGet('/alarms', { query: { limit: LATEST } }, ['alarm'])
}

/** The open alarms from which the worst are chosen: the latest 100, or the latest 1,000 when there are more. */
export function useOpenAlarms(): Resource<Alarms> {
  const latest = useLatestAlarms()
  const isMore = latest.data?.nextCursor != null
  const more = useGet('/alarms', isMore ? { query: { limit: LATEST_MAX } } : null, ['alarm'])
  return isMore && more.data ? more : latest
}

/** The latest alarm of an object that no user has acknowledged; null without such an alarm. */
export function useOpenAlarmOf(objectId: number): Alarm | null {
  const conditions = [{ item: 'objectId', operator: 'eq', expression: String(objectId) }]
  const filterDefinition = JSON.stringify({ mode: 'and', conditions })
  const { data } = useGet('/alarms', { query: { filterDefinition, state: 'open' } }, ['alarm'])
  return data?.items.find(({ status }) => status === 'open') ?? null
}
