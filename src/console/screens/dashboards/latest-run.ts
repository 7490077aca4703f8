import type { Answer } from '../../api/client.ts'
import type { DataOf } from './dashboard.ts'

export type WidgetRun = NonNullable<DataOf<'script'>['run']>
/** A run as it was ordered: it waits for a runner. */
export type OrderedRun = Pick<
  Answer<'/dashboards/{id}/widgets/{widget}/run', 'post'>,
  'id' | 'state' | 'queuedAt'
>

/** The latest run of a widget. Data that were read just before an order do not have its run yet.
 * @param read the run of the data
 * @param ordered the run that was ordered here; null for none */
export function latestRun(read: WidgetRun | null, ordered: OrderedRun | null): WidgetRun | null {
  if (ordered === null || read?.id === ordered.id) return read
  if (read !== null && Date.parse(read.queuedAt) >= Date.parse(ordered.queuedAt)) return read
  const { id, state, queuedAt } = ordered
  return { id, state, queuedAt, finishedAt: null }
}
