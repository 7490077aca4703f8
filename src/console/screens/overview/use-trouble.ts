import { useOpenAlarms } from '../../actions/open-alarms.ts'
import type { Answer } from '../../api/client.ts'
import type { Resource } from '../../api/resource.ts'
import { troubleOf } from './sentence.ts'
import type { Trouble } from './sentence.ts'
import { useTrend } from './tide-chart.tsx'

/** The open alarms, their numbers, and the number of alarms that no other alarm explains. The numbers are undefined and 0 until
 * the alarms are read. */
export function useTrouble(): {
  readonly alarms: Resource<Answer<'/alarms'>>
  readonly trouble: Trouble | undefined
  readonly count: number
} {
  const alarms = useOpenAlarms()
  const trend = useTrend()
  const trouble = alarms.data && troubleOf(alarms.data, trend.data?.now)
  return { alarms, trouble, count: trouble ? trouble.unacknowledged + trouble.acknowledged : 0 }
}
