import { ROOT_ID } from '../../../access/rights/permissions.ts'
import type { Context } from '../../../context.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import { alarmsBody, linksBody } from '../../../monitoring/alarm-inbox/schema.ts'
import { assignAlarm, commentOnAlarm } from '../../../monitoring/alarm-inbox/service/actions.ts'
import { readLinks, replaceLinks } from '../../../monitoring/alarm-inbox/service/links.ts'
import { listAlarms } from '../../../monitoring/alarm-inbox/service/list.ts'
import { newRecipientBody } from '../../../monitoring/notifications/recipients/schema.ts'
import { createRecipient, listRecipients } from '../../../monitoring/notifications/recipients/service.ts'
import { revaluationBody, revaluationsQuery } from '../../../monitoring/revaluations/schema.ts'
import { createRevaluation, listRevaluations } from '../../../monitoring/revaluations/service.ts'
import { saveTreeFile } from '../../scripts/files/service.ts'
import { scheduleConfigurationBody } from '../../scripts/schedule-configurations/schema.ts'
import { createSchedule, listSchedules } from '../../scripts/schedule-configurations/service.ts'
import { scriptBody } from '../../scripts/schema.ts'
import { createScript, listScripts } from '../../scripts/service.ts'
import type { Made } from '../made.ts'
import { SCRIPT, USERS } from '../plant.ts'
import { idOf } from './turn.ts'
import type { Making } from './turn.ts'

const RECIPIENT = 'Demo operator'
const ROOT_LINKS = { parentType: 'group', parentId: ROOT_ID } as const

/** The context of the operator of the plant. */
function asOperator({ context, made }: Making): Context {
  const [userId = 0] = made.userIds ?? []
  const { username, role } = USERS[0]
  return { ...context, caller: { kind: 'user', userId, username, role, sessionHash: null } }
}

export async function makeScript(making: Making): Promise<Partial<Made>> {
  const operator = asOperator(making)
  const { name, description, main } = SCRIPT
  const script =
    (await findScript(making.context)) ??
    (await createScript(operator, scriptBody.parse({ name, description }))).view
  const bytes = Uint8Array.from(new TextEncoder().encode(main))
  await saveTreeFile(operator, name, { path: 'main.py', bytes, condition: () => undefined })
  if ((await listSchedules(operator, name)).length === 0)
    await createSchedule(
      operator,
      name,
      scheduleConfigurationBody.parse({ name: 'Every morning', cron: '0 6 * * *' }),
    )
  return { scriptId: script.id }
}

/** The script with the name of the plant's script; null without one. */
export async function findScript(context: Context): Promise<{ readonly id: number } | null> {
  const { items } = await listScripts(context, { limit: 2_000 })
  return items.find(({ name }) => name === SCRIPT.name) ?? null
}

/** A recipient in the links of the root group that name none. It has no address, and is on vacation, so that no message is
 * attempted. */
export async function makeAlarmDuty({ context, made }: Making): Promise<Partial<Made>> {
  const [userId] = made.userIds ?? []
  const known = (await listRecipients(context)).find(({ name }) => name === RECIPIENT)
  const body = newRecipientBody.parse({
    name: RECIPIENT,
    type: 'user',
    target: { userId },
    minState: 'minor',
    onVacation: true,
  })
  const { id } = known ?? (await createRecipient(context, body)).recipient
  await addressLinks(context, null, id)
  return { recipientId: id }
}

/** Gives the links of the root group that have one recipient another. */
export async function addressLinks(context: Context, from: number | null, to: number | null): Promise<void> {
  const { view } = await readLinks(context, ROOT_LINKS)
  if (!view.links.some(({ recipientId }) => recipientId === from)) return
  const links = view.links.map((link) => (link.recipientId === from ? { ...link, recipientId: to } : link))
  await replaceLinks(context, ROOT_LINKS, { body: linksBody.parse({ links }), ifMatch: null })
}

export async function makeMaintenance(making: Making): Promise<null> {
  const { anchorAt } = making
  const iso = (at: number) => new Date(at).toISOString()
  await plan(making, 'Sluices and pumps/Lauwersoog/Cleveringsluizen', {
    name: 'Replace the gate sensor',
    begin: iso(anchorAt + 26 * HOUR_MS),
    end: iso(anchorAt + 29 * HOUR_MS),
    incident: 'WO-2291',
  })
  await plan(making, 'Control room/Historian server', {
    name: 'Weekly patch night',
    begin: iso(anchorAt),
    end: iso(anchorAt + 364 * 24 * HOUR_MS),
    active: [{ type: 'weekly', times: [{ begin: '02:00', duration: 'PT1H30M', weekday: 2 }] }],
  })
  return null
}

async function plan(making: Making, place: string, body: object): Promise<void> {
  const operator = asOperator(making)
  const object = { type: 'device', id: idOf(making, place) } as const
  const { items: known } = await listRevaluations(operator, object, revaluationsQuery.parse({ edit: 'true' }))
  if (known.length === 0) await createRevaluation(operator, object, revaluationBody.parse(body))
}

/** Assigns the alarm of a pump to the operator, with a comment, and comments on the alarm of a gauge. */
export async function workOnAlarms(making: Making): Promise<null> {
  const operator = asOperator(making)
  const [userId = 0] = making.made.userIds ?? []
  const { items } = await listAlarms(operator, alarmsBody.parse({ state: ['open'] }), '/filterDefinition')
  const alarmOf = (place: string) => items.find(({ object }) => object.id === idOf(making, place))
  const broken = alarmOf('Sluices and pumps/Harlingen/Pumping station Harlingen/Pump 2')
  const silent = alarmOf('Tide gauges/Gauge Lauwersoog/Water level')
  const comment = 'Bearing of pump 2 is running hot. The crew is on its way and replaces it today.'
  if (broken) await assignAlarm(operator, broken.id, { userId, sticky: false, comment })
  if (silent) await commentOnAlarm(operator, silent.id, 'The telemetry link of this gauge is being repaired.')
  return null
}
