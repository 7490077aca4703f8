import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { testRecipient } from '../../src/monitoring/notifications/recipients/service.ts'
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
  stage = await openStage({ jobs: 7, mail })
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
    expect(body).toContain('seit 2026-03-02 10:00:00 +01:00')
  })

  test('is notified of readable objects only, and of objects below a grant', async () => {
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

  test('that is disabled gets no message, reminder or news of the end, and a test fails', async () => {
    const { database } = stage.ports
    const disable = (at: string) => database.run(`update users set disabled_at = ${at} where id = ${ANNA}`)
    const reminder = { every: 'PT5M', times: 10 }
    const id = await stage.recipient({ type: 'user', target: { userId: ANNA }, reminder })
    try {
      await stage.happen({ kind: 'opened' })
      await stage.pass(MINUTE_MS)
      expect(told()).toEqual(['anna'])
      await disable('1')
      await stage.pass(HOUR_MS)
      await stage.happen({ kind: 'closed' })
      await stage.happen({ kind: 'opened', job: 1 })
      await stage.pass(HOUR_MS)
      expect(told()).toEqual([])
      // The one about the second alarm fails, so that the failure is visible.
      const detail = 'The user does not exist, is disabled or has no mail address.'
      expect(await stage.rows('select status, detail from notifications order by id')).toMatchObject([
        { status: 'sent' },
        { status: 'waiting', detail },
      ])
      expect(await testRecipient(stage.context, id)).toEqual({ status: 'failed', detail })
      await disable('null')
      await stage.happen({ kind: 'opened', job: 2 })
      await stage.pass(MINUTE_MS)
      expect(told()).toEqual(['anna'])
    } finally {
      await disable('null')
    }
  })

  test('that was deleted has a message that fails after a day, so that the failure is visible', async () => {
    await stage.recipient({ type: 'user', target: { userId: ANNA } })
    await stage.ports.database.run(`update alarm_recipients set user_id = 99`)
    await stage.happen({ kind: 'opened' })
    await stage.pass(25 * HOUR_MS)
    expect(await stage.rows('select status, detail from notifications')).toEqual([
      { status: 'dead', detail: 'The user does not exist, is disabled or has no mail address.' },
    ])
  })
})

describe('a group', () => {
  test('consists of all members, who are notified separately', async () => {
    await team()
    await stage.happen({ kind: 'opened' })
    await stage.pass(MINUTE_MS)
    expect(told().toSorted()).toEqual(['anna', 'ben', 'cleo'])
  })

  test('rotates by alarm, and a member keeps the alarms that they were notified of', async () => {
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

  test('rotates after a number of alarms, also over a restart, without counting later changes of an alarm', async () => {
    await team({ rotation: { by: 'count', count: 2 } })
    for (const job of [0, 1, 2, 3, 4, 5, 6]) {
      await stage.happen({ kind: 'opened', job, state: 'minor' })
      await stage.happen({ kind: 'worsened', job })
      await stage.pass(24 * HOUR_MS)
      if (job === 2) stage.reopen()
    }
    expect(told()).toEqual(['anna', 'anna', 'ben', 'ben', 'cleo', 'cleo', 'anna'])
  })

  test('rotates by time, and skips members on vacation', async () => {
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

  test('escalates to all members if the one on duty does not react', async () => {
    const everybody = await stage.recipient({ name: 'all', type: 'group', target: { userGroupId: TEAM } })
    await team({ rotation: { by: 'turn' }, escalation: [{ after: 'PT15M', recipientId: everybody }] })
    await stage.happen({ kind: 'opened' })
    await stage.pass(14 * MINUTE_MS)
    expect(told()).toEqual(['anna'])
    await stage.pass(2 * MINUTE_MS)
    expect(told().toSorted()).toEqual(['anna', 'ben', 'cleo'])
  })

  test('with one wrong address notifies the others, and gives up on that address', async () => {
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

describe('a test', () => {
  test('of a user is mailed in their own language', async () => {
    const id = await stage.recipient({ type: 'user', target: { userId: ANNA } })
    expect(await testRecipient(stage.context, id)).toMatchObject({ status: 'ok' })
    const [mail, ...others] = server.take()
    expect(others).toEqual([])
    expect(mail?.to).toEqual(['anna@example.org'])
    expect(mail?.text).toContain('Test: /root (Warnung, Alarm seit')
  })

  test('of a group is a separate mail for each member, without other addresses', async () => {
    const id = await team()
    expect(await testRecipient(stage.context, id)).toEqual({
      status: 'ok',
      detail: '3 of 3 members were notified.',
    })
    const mails = server.take().toSorted((a, b) => String(a.to).localeCompare(String(b.to)))
    expect(mails.map(({ to }) => to)).toEqual([
      ['anna@example.org'],
      ['ben@example.org'],
      ['cleo@example.org'],
    ])
    for (const { to, text } of mails) {
      const named = ['anna@', 'ben@', 'cleo@'].filter((name) => text.includes(name))
      expect(named).toEqual([to[0]?.replace('example.org', '') ?? ''])
    }
    const ids = mails.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1])
    expect(new Set(ids).size).toBe(3)
  })

  test('of a group fails if one member could not be notified', async () => {
    server.refuses = (address) => (address.startsWith('ben') ? { code: 550, text: 'No such user' } : null)
    const { status, detail } = await testRecipient(stage.context, await team())
    expect(status).toBe('failed')
    expect(detail).toStartWith('2 of 3 members were notified. ')
    expect(detail).toContain('No such user')
    expect(told().toSorted()).toEqual(['anna', 'cleo'])
  })

  test('of a group without members fails', async () => {
    const { database } = stage.ports
    await database.run(`insert into user_groups (id, name, version, created_at) values (2, 'nobody', 1, 0)`)
    const id = await team({ target: { userGroupId: 2 } })
    expect(await testRecipient(stage.context, id)).toEqual({
      status: 'failed',
      detail: 'The user does not exist, is disabled or has no mail address.',
    })
  })

  test.each([
    [20, '20 of 20 members were notified.'],
    [21, '20 of 21 members were notified.'],
  ])('of a group of %i notifies 20', async (size, detail) => {
    const { database } = stage.ports
    await database.run(`insert into users (id, username, password_hash, role, type, fullname, email, phone, language, time_zone,
      version, created_at) select value, 'u' || value, '', 'editor', 'local', '', 'u' || value || '@example.org', '', 'en', 'UTC',
      1, 0 from generate_series(100, 99 + ${size})`)
    await database.run(`insert into user_groups (id, name, version, created_at) values (3, 'many', 1, 0)`)
    await database.run(`insert into memberships (user_id, group_id) select id, 3 from users where id >= 100`)
    try {
      const id = await team({ target: { userGroupId: 3 } })
      expect(await testRecipient(stage.context, id)).toEqual({ status: 'ok', detail })
      expect(server.take()).toHaveLength(20)
    } finally {
      await database.run('delete from users where id >= 100')
      await database.run('delete from user_groups where id = 3')
    }
  })
})
