import { call } from '../api/client.ts'
import type { Answer, Item } from '../api/client.ts'
import { Failure } from '../api/failure.ts'
import { invalidate, patched } from '../api/resource.ts'
import { user } from '../api/session.ts'
import { toast, undoable } from '../kit/toasts.ts'
import { t } from '../language/t.ts'

export type Alarm = Item<'/alarms'>
type List = { readonly items: readonly Alarm[] }
export type Assignment = {
  readonly userId: number | null
  /** The name that the page shows until the service answers. */
  readonly name: string
  /** ISO 8601; null until the object is ok. */
  readonly until?: string | null
  /** Whether it stays when the state gets worse. */
  readonly sticky?: boolean
  readonly comment?: string
}

/** Assigns alarms: at once in the page, then in the service. A refusal takes the page back.
 * @throws {Failure} with the reason of the first refusal */
export async function assign(
  alarms: readonly Alarm[],
  { userId, name, until = null, sticky = false, comment }: Assignment,
): Promise<void> {
  const ids = new Set(alarms.map(({ id }) => id))
  const assignee = userId === null ? null : { userId, name }
  const status = userId === null ? ('open' as const) : ('assigned' as const)
  const change = (one: Alarm): Alarm =>
    ids.has(one.id) ? { ...one, status, assignee, assignedUntil: until, sticky } : one
  try {
    // `/alarms/{id}` begins with the same letters and is one alarm.
    await patched<List | Alarm, void>(
      '/alarms',
      (data) => ('items' in data ? { ...data, items: data.items.map(change) } : change(data)),
      async () =>
        throwRefusal(
          await call('post', '/alarms/actions', {
            body: { action: 'assign', ids: [...ids], userId, until, sticky, ...(comment ? { comment } : {}) },
          }),
        ),
    )
  } finally {
    invalidate('/alarms')
  }
}

/** @throws {Failure} with the reason of the first refusal */
function throwRefusal({ items }: Answer<'/alarms/actions', 'post'>): void {
  const refused = items.find((item) => item.status === 'refused')
  if (refused) throw new Failure({ status: 403, code: refused.code ?? '', detail: refused.detail ?? '' })
}

/** Makes the user of the page the assignee until the objects are ok; can be undone for ten seconds.
 * @throws {Failure} */
export async function acknowledge(alarms: readonly Alarm[]): Promise<void> {
  const me = user.value
  if (me !== null && alarms.length > 0) await undoable(acknowledgeAs(me, alarms))
}

async function acknowledgeAs(me: NonNullable<typeof user.value>, alarms: readonly Alarm[]): Promise<void> {
  await assign(alarms, { userId: me.id, name: me.fullname || me.username })
  toast({
    text: t('alarm.acknowledged', { count: alarms.length, name: alarms[0]?.object.name ?? '' }),
    undo: () => restoreAssignees(alarms),
  })
}

/** Gives alarms the assignees again that they have in the list. */
async function restoreAssignees(alarms: readonly Alarm[]): Promise<void> {
  const byAssignment = Map.groupBy(alarms, ({ assignee, assignedUntil: until, sticky }) =>
    JSON.stringify({ userId: assignee?.userId ?? null, name: assignee?.name ?? '', until, sticky }),
  )
  for (const [assignment, same] of byAssignment) await assign(same, JSON.parse(assignment) as Assignment)
}

/** Why the user may not act on an alarm; undefined if the user may. */
export function refusedBy(alarm: Alarm): string | undefined {
  return alarm.object.permissions.maintain ? undefined : t('alarm.needsMaintain', { name: alarm.object.name })
}

/** Comments on alarms. @throws {Failure} with the reason of the first refusal */
export async function commentOn(alarms: readonly Alarm[], text: string): Promise<void> {
  const answer = await call('post', '/alarms/actions', {
    body: { action: 'comment', ids: alarms.map(({ id }) => id), text },
  })
  invalidate('/alarms')
  throwRefusal(answer)
}
