import type { Alarm } from '../../actions/alarms.ts'
import { rankOf } from '../../kit/state.tsx'

export type Status = 'open' | 'held' | 'closed'
type Choice = {
  readonly status: Status
  readonly owner: 'all' | 'none' | 'mine'
  readonly userId: number | undefined
  /** A text that the name, the place or the message contains. */
  readonly text: string
}

/** Alarms of one device or other parent, worst first. */
export type Group = { readonly place: string; readonly alarms: readonly Alarm[] }

/** The alarms of a choice. An alarm is held back while another one or maintenance suppresses it. */
export function shownOf(alarms: readonly Alarm[], { status, owner, userId, text }: Choice): readonly Alarm[] {
  const wanted = text.trim().toLowerCase()
  return alarms.filter((alarm) => {
    if (!textOf(alarm).includes(wanted)) return false
    if (status !== 'closed' && isHeld(alarm) !== (status === 'held')) return false
    if (owner === 'none') return alarm.assignee === null
    return owner === 'all' || alarm.assignee?.userId === userId
  })
}

const isHeld = ({ suppressedBy, heldReason }: Alarm): boolean => suppressedBy !== null || heldReason !== null

const textOf = ({ object, message }: Alarm): string => `${object.path}\n${message ?? ''}`.toLowerCase()

/** Groups alarms by their parent: the worst alarm first, then the oldest. Of closed ones, what closed last comes first. */
export function groupsOf(alarms: readonly Alarm[]): readonly Group[] {
  const groups = new Map<string, Alarm[]>()
  for (const alarm of alarms.toSorted(inOrder)) {
    const place = alarm.object.path.split('/').slice(1, -1).join(' / ')
    const group = groups.get(place)
    if (group) group.push(alarm)
    else groups.set(place, [alarm])
  }
  return [...groups].map(([place, inside]) => ({ place, alarms: inside }))
}

function inOrder(a: Alarm, b: Alarm): number {
  if (a.end !== null && b.end !== null) return b.end.localeCompare(a.end) || b.id - a.id
  return rankOf(b.state) - rankOf(a.state) || a.begin.localeCompare(b.begin) || a.id - b.id
}
