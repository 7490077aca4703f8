import type { JSX } from 'preact'

import { lastEventAt } from '../../api/events.ts'
import { useGets } from '../../api/resource.ts'
import type { Item } from '../../api/client.ts'
import { percentText } from '../../kit/numbers.ts'
import { durationText, now, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { useLive } from '../../kit/use-live.ts'
import { Present } from '../maintenance/present.tsx'
import { leastOf } from './least.ts'
import type { Turn } from './turns.ts'

/** The zone of the times, the maintenance, the least budget, the age of the last event, and the turn. */
export function Footer({
  containers,
  turn,
  count,
}: {
  readonly containers: readonly Item<'/slcs'>[]
  readonly turn: Turn | null
  /** The number of parts that take turns. */
  readonly count: number
}): JSX.Element {
  return (
    <footer>
      <span>{timeZone.value}</span>
      <Present withNext />
      <LeastBudget containers={containers} />
      {lastEventAt.value !== null && (
        <span class="end num">
          {t('shell.lastEvent', { duration: durationText(now.value - lastEventAt.value) })}
        </span>
      )}
      {turn && (
        <span class="num">
          {t('wall.turn', { at: turn.at + 1, count, duration: durationText(turn.leftS * 1000) })}
        </span>
      )}
    </footer>
  )
}

/** The budget of which the smallest share is left. It moves while a member is bad, without an event. */
function LeastBudget({ containers }: { readonly containers: readonly Item<'/slcs'>[] }): JSX.Element | null {
  const budgets = useGets(
    '/slcs/{id}',
    containers.map(({ id }) => ({ path: { id } })),
  )
  useLive(() => budgets.forEach(({ reload }) => reload()), budgets.length > 0)
  // With a part of them read, another one would be named for a moment.
  if (budgets.some(({ data, failure }) => !data && !failure)) return null
  const least = leastOf(budgets.flatMap(({ data }) => data ?? []))
  return least && <span>{t('kit.budgetName', { name: least.name, left: percentText(least.left) })}</span>
}
