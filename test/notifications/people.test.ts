import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { openMail } from '../../workers/mail.ts'
import { MailServer } from './mail-server.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const [ANNA, BEN, CLEO] = [2, 3, 4]
const TEAM = 1

const server = await MailServer.start('none')
let stage: Stage

beforeAll(async () => {
  const from = 'Tidemark <tidemark@example.org>'
  const mail = openMail({ host: '127.0.0.1', port: server.port, tls: 'none', user: '', password: '', from })
  stage = await openStage({ jobs: 6, mail })
  const { database } = stage.ports
  const user = (id: number, name: string, language: string) =>
    database.run(`insert into users (id, username, password_hash, role, type, fullname, email, phone, language, time_zone,
      version, created_at) values (${id}, '${name}', '', 'editor', 'local', '', '${name}@example.org', '', '${language}',
      'Europe/Zurich', 1, 0)`)
  await user(ANNA, 'anna', 'de-CH')
  await user(BEN, 'ben', 'en')
  await user(CLEO, 'cleo', 'fr')
  await database.run(`insert into user_groups (id, name, version, created_at) values (${TEAM}, 'team', 1, 0)`)
  await database.run(
    `insert into memberships (user_id, group_id) values (${ANNA}, 1), (${BEN}, 1), (${CLEO}, 1)`,
  )
})
beforeEach(async () => {
  server.refuses = () => null
  server.take()
  await stage.reset()
})
afterAll(() => Promise.all([stage.close(), server.close()]))

const team = (more: object = {}) =>
  stage.recipient({ type: 'group', target: { userGroupId: TEAM }, grouping: 'PT0S', ...more })

/** Who got mails since this was last asked, by name, in order. */
const told = () => server.take().map(({ to }) => to.map((one) => one.split('@')[0]).join(' '))

describe('a user', () => {
  test('is mailed in their own language and zone', async () => {
    await stage.recipient({ type: 'user', target: { userId: ANNA }, timeZone: 'UTC' })
    await stage.happen({ kind: 'opened', state: 'minor' })
    await stage.pass(MINUTE_MS)
    const [mail, ...others] = server.take()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ from: 'tidemark@example.org', to: ['anna@example.org'] })
    const body = Buffer.from(
      (mail?.text.split('\r\n\r\n')[1] ?? '').replaceAll(/=\r\n/g, ''),
      'latin1',
    ).toString()
    expect(body).toContain('seit 2026-03-02T10:00:00+01:00')
  })

  test('is not told of what they may not read, and of what is below a grant', async () => {
    const { database } = stage.ports
    await stage.recipient({ type: 'user', target: { userId: BEN } })
    await database.run('delete from grants')
    try {
      stage.clock.at += HOUR_MS
      await stage.happen({ kind: 'opened' })
      await stage.pass(HOUR_MS)
      expect(told()).toEqual([])
      await database.run(
        `insert into grants (object_id, user_id, write, execute, maintain) values (10, ${BEN}, 0, 0, 0)`,
      )
      await stage.happen({ kind: 'opened', job: 1 })
      await stage.pass(HOUR_MS)
      expect(told()).toEqual(['ben'])
    } finally {
      await database.run('delete from grants')
      await database.run('insert into grants (object_id, write, execute, maintain) values (1, 1, 1, 0)')
      stage.clock.at += HOUR_MS
    }
  })

  test('that is gone is a message that is given up after a day, for somebody to see', async () => {
    await stage.recipient({ type: 'user', target: { userId: ANNA } })
    await stage.ports.database.run(`update alarm_recipients set user_id = 99`)
    await stage.happen({ kind: 'opened' })
    await stage.pass(25 * HOUR_MS)
    expect(await stage.rows('select status, detail from notifications')).toEqual([
      { status: 'dead', detail: 'There is no user with a mail address behind it.' },
    ])
  })
})

describe('a group', () => {
  test('is everybody in it, each by themselves', async () => {
    await team()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    expect(told().toSorted()).toEqual(['anna', 'ben', 'cleo'])
  })

  test('takes turns, and whoever was told of an alarm hears the rest of it', async () => {
    await team({ rotation: { by: 'turn' } })
    for (const job of [0, 1, 2, 3]) {
      await stage.happen({ kind: 'opened', job, state: 'minor' })
      await stage.pass(MINUTE_MS)
    }
    expect(told()).toEqual(['anna', 'ben', 'cleo', 'anna'])
    await stage.happen({ kind: 'worsened', job: 1 })
    await stage.pass(MINUTE_MS)
    await stage.happen({ kind: 'closed', job: 2 })
    await stage.pass(MINUTE_MS)
    expect(told()).toEqual(['ben', 'cleo'])
  })

  test('takes turns by time, and passes over who is on vacation', async () => {
    const away = { userId: BEN, begin: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' }
    await team({
      rotation: { by: 'interval', interval: 'P1D', begin: '2026-03-02T00:00:00Z' },
      vacations: [away],
    })
    for (const job of [0, 1, 2, 3]) {
      await stage.happen({ kind: 'opened', job })
      await stage.pass(24 * HOUR_MS)
    }
    expect(told()).toEqual(['anna', 'cleo', 'cleo', 'anna'])
  })

  test('escalates to everybody when the one whose turn it is does nothing', async () => {
    const everybody = await stage.recipient({ name: 'all', type: 'group', target: { userGroupId: TEAM } })
    await team({ rotation: { by: 'turn' }, escalation: [{ after: 'PT15M', recipientId: everybody }] })
    await stage.happen({ kind: 'opened' })
    await stage.pass(14 * MINUTE_MS)
    expect(told()).toEqual(['anna'])
    await stage.pass(2 * MINUTE_MS)
    expect(told().toSorted()).toEqual(['anna', 'ben', 'cleo'])
  })

  test('in which one has a wrong address tells the others, and tries that one no more', async () => {
    server.refuses = (address) => (address.startsWith('ben') ? { code: 550, text: 'No such user' } : null)
    await team()
    await stage.happen({ kind: 'opened' })
    await stage.pass(HOUR_MS)
    expect(told().toSorted()).toEqual(['anna', 'cleo'])
    expect(
      await stage.rows('select user_id as id, status, attempts from notifications order by user_id'),
    ).toEqual([
      { id: ANNA, status: 'sent', attempts: 1 },
      { id: BEN, status: 'dead', attempts: 1 },
      { id: CLEO, status: 'sent', attempts: 1 },
    ])
  })
})
