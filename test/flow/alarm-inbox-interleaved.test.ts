import { expect, test } from 'bun:test'

import type { Context } from '../../src/context.ts'
import { linksBody } from '../../src/monitoring/alarm-inbox/schema.ts'
import {
  assignAlarm,
  commentOnAlarm,
  readAlarm,
  replaceLinks,
} from '../../src/monitoring/alarm-inbox/service.ts'
import { advanceAlarms } from '../../src/monitoring/alarms/service.ts'
import { rejection } from '../contract/rejection.ts'
import { insertAdministrator } from '../automation/people.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { insertAlarm } from './insert-alarm.ts'

const ROOT = { parentType: 'group', parentId: 1 } as const

onEachDatabase((callers) => {
  test('the answer to a comment is this comment, although another one follows at once', async () => {
    const { context, before } = callers()
    await insertAdministrator(context.ports)
    await insertAlarm(context.ports.database)
    const ours = await commentOnAlarm(
      before(() => commentOnAlarm(context, 1, 'of another')),
      1,
      'ours',
    )
    const { comments } = await readAlarm(context, 1)
    expect(comments.map(({ text }) => text)).toEqual(['ours', 'of another'])
    expect(comments[0]).toEqual(ours)
  })

  test('the answer to an assignment is this assignment, although the alarm changes or disappears at once', async () => {
    const { context, before } = callers()
    const { database } = context.ports
    await insertAlarm(database, 2)
    const assign = (as: Context, userId: number | null, comment: string | null = null) =>
      assignAlarm(as, 2, { userId, until: null, comment, sticky: true })
    const ours = await assign(
      before(() => assign(context, null)),
      1,
      'mine',
    )
    expect(ours).toMatchObject({
      status: 'assigned',
      assignee: { userId: 1, name: 'admin' },
      sticky: true,
      _v: 3,
    })
    expect(await readAlarm(context, 2)).toMatchObject({ status: 'open', assignee: null, _v: 4 })
    const last = await assign(
      before(async () => database.run('delete from alarms where id = 2')),
      1,
    )
    expect(last).toMatchObject({ status: 'assigned', assignee: { userId: 1 } })
    expect(await rejection(readAlarm(context, 2))).toMatchObject({ code: 'not_found' })
  })

  test('links replace those of another caller, and their answer is what was stored', async () => {
    const { context, after, before } = callers()
    const replace = (as: Context, ...states: readonly string[]) => {
      const links = states.map((minState) => ({ minState }))
      return replaceLinks(as, ROOT, { body: linksBody.parse({ links }), ifMatch: null })
    }
    const statesOf = ({ view }: Awaited<ReturnType<typeof replace>>) =>
      view.links.map(({ minState }) => minState)
    const { version, view } = await replace(
      before(() => replace(context, 'major')),
      'warning',
      'minor',
    )
    const now = await replace(context, 'major')
    expect([view.links.map(({ minState }) => minState), version + 2]).toEqual([
      ['warning', 'minor'],
      now.version,
    ])
    expect(view.links.every(({ id }) => id > 0)).toBe(true)
    // The route repeats the change when no version is demanded.
    const late = after(() => replace(context, 'minor'))
    expect(await rejection(replace(late, 'warning'))).toMatchObject({ code: 'precondition_failed' })
    expect(statesOf(await replace(late, 'warning'))).toEqual(['warning'])
  })

  test('a link that is removed while its alarms open leaves none of them open', async () => {
    const { context, after } = callers()
    const { database, flow } = context.ports
    // The test calls advanceAlarms() in place of the state pipeline.
    const still = {
      apply: (all: Parameters<typeof flow.apply>[0]) => flow.apply(all),
      runDue: () => Promise.resolve(),
      sweep: (id: number) => flow.sweep(id),
    }
    const as = { ...context, ports: { ...context.ports, flow: still } }
    const replace = async (...links: readonly object[]) => {
      const { view } = await replaceLinks(as, ROOT, { body: linksBody.parse({ links }), ifMatch: null })
      return view.links.map(({ id }) => id)
    }
    const bad = "1, 'major', 0"
    const pending = [
      `insert or replace into states (object_id, seq, state, since_at, alarmed_seq) values (1, ${bad}, 0)`,
      `insert or replace into transitions (object_id, seq, to_state, at, detected_at, from_state, reason, error_code)
         values (1, ${bad}, 0, 'ok', 'delivery', 0)`,
    ]
    // Its object gets bad after the link, then before it.
    const first = await replace({ covers: 'object' })
    for (const statement of pending) await database.run(statement)
    await advanceAlarms(after(() => replace()).ports)
    const second = await replace({ covers: 'object' })
    await advanceAlarms(after(() => replace()).ports)
    const ids = JSON.stringify([...first, ...second])
    expect(
      await database.all(
        `select link_id from alarms where status <> 'closed' and link_id in (select value from json_each('${ids}'))`,
      ),
    ).toEqual([])
    // The same without removals opens one.
    const [third] = await replace({ covers: 'object' })
    await advanceAlarms(context.ports)
    expect(
      await database.all(`select link_id from alarms where status = 'open' and link_id = ${third}`),
    ).toHaveLength(1)
  })
})
