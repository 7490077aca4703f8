import { durationText } from '../../../src/lib/duration.ts'
import type { Body } from '../../api/client.ts'
import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Play } from '../play.ts'
import { instantAt, same } from './found.ts'

type Alarm = {
  readonly id: number
  readonly status: string
  readonly state: string
  readonly linkId: number
  readonly begin: string
  readonly end: string | null
  readonly heldReason: string | null
  readonly suppressedBy: number | null
}

/** Alarms, what people do to them, and what explains them. */
export const ALARMS: readonly Word[] = [
  {
    says: '<name> has an alarm of its own[ from <level> on][ told after <duration:delay>][ closed after <duration:recovery>]',
    async run(play, given) {
      const { type, id } = play.thing(given.text('name'))
      const link = {
        covers: 'object',
        minState: given.maybeText('level') ?? 'warning',
        delay: durationText(given.maybeNumber('delay') ?? 0),
        recoveryDelay: durationText(given.maybeNumber('recovery') ?? 0),
      }
      await play.ask('PUT', `/${type}/${id}/alarmLinks`, { links: [link] })
    },
  },
  ...[false, true].map((sticky): Word => ({
    says: `assign the alarm of <name>[ until <time>]${sticky ? ' however bad it gets' : ''}`,
    run: (play, given) => assign(play, given, { userId: 1, sticky }),
  })),
  { says: 'give back the alarm of <name>', run: (play, given) => assign(play, given, { userId: null }) },
  {
    says: 'expect alarm of <name> <word:status>[ at <level>][ since <time:begin>][ until <time:end>][ held by <word:hold>][ explained by <name:cause>]',
    expects: true,
    run: expectAlarm,
  },
  {
    says: 'expect no alarm of <name>',
    expects: true,
    async run(play, given) {
      const [alarm] = await alarmsOf(play, given.text('name'), ['open', 'assigned'])
      same('none', alarm?.status ?? 'none')
    },
  },
]

/** The alarms of an object: those of its own link first, then the latest first. */
async function alarmsOf(
  play: Play,
  name: string,
  state: readonly string[] = ['open', 'assigned', 'closed'],
): Promise<readonly Alarm[]> {
  const { id } = play.thing(name)
  const conditions = [{ item: 'objectId', operator: 'eq', expression: String(id) }]
  const { items } = await play.ask<{ items: Alarm[] }>('POST', '/alarms', {
    filterDefinition: { conditions },
    state,
  })
  const links = items.map(({ linkId }) => linkId)
  return items.filter(({ linkId }) => linkId === Math.max(...links))
}

async function assign(play: Play, given: Given, body: Body): Promise<void> {
  const [alarm] = await alarmsOf(play, given.text('name'), ['open', 'assigned'])
  const untilAt = given.maybeNumber('time')
  const until = untilAt === undefined ? null : new Date(untilAt).toISOString()
  await play.ask('POST', `/alarms/${alarm?.id ?? 0}/assign`, { ...body, until })
}

async function expectAlarm(play: Play, given: Given): Promise<void> {
  const [alarm] = await alarmsOf(play, given.text('name'))
  same(given.text('status'), alarm?.status)
  if (!alarm) return
  const level = given.maybeText('level')
  if (level !== undefined) same(level, alarm.state)
  const begin = given.maybeNumber('begin')
  if (begin !== undefined) same(begin, instantAt(alarm.begin))
  const end = given.maybeNumber('end')
  if (end !== undefined) same(end, instantAt(alarm.end))
  same(given.maybeText('hold') ?? 'nothing', alarm.heldReason ?? 'nothing')
  const [cause] = given.maybeText('cause') === undefined ? [] : await alarmsOf(play, given.text('cause'))
  same(cause?.id ?? 'nothing', alarm.suppressedBy ?? 'nothing')
}
