import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { connect, PASSWORD } from '../api/client.ts'
import type { Body, Client } from '../api/client.ts'
import { expectAnswer, good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { makeDevice, makeJob } from '../api/tree-stage.ts'
import { MailServer } from '../notifications/mail-server.ts'

const START_MAX_MS = 180_000
const RUN_MAX_MS = 180_000

type Made = { readonly id: number }

const mail = await MailServer.start('none')
afterAll(() => mail.close())

describe.each(HOSTS_BY_HAND)('dashboards of %s', (_, start) => {
  let hand: HostByHand
  let client: Client

  beforeAll(async () => {
    hand = await start({
      TIDEMARK_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=none`,
      TIDEMARK_MAIL_FROM: 'Tidemark <tidemark@example.org>',
    })
    client = await connect(hand.host)
  }, START_MAX_MS)
  afterAll(() => hand.host.close())

  const makeBoard = (name: string) => {
    const widgets = { text: { kind: 'text', markdown: 'x' }, script: { kind: 'script', scriptId: null } }
    return good<Made>(
      client.request('POST', '/dashboards', { json: { name, definition: { widgets } }, as: 'editor' }),
    )
  }

  test(
    'unknown, unreadable and invalid dashboards are one refusal, and writers repair an invalid one',
    async () => {
      const [{ id: secret }, { id: broken }] = [await makeBoard('Secret'), await makeBoard('Broken')]
      const json = { items: [{ subjectType: 'everyone', write: true, execute: true }] }
      await good(client.request('PUT', `/dashboards/${broken}/grants`, { json }))
      await hand.meddle(`update dashboards set definition = '{"schemaVersion":99}' where id = ${broken}`)
      const calls = [
        ['GET', ''],
        ['GET', '?raw=true'],
        ['GET', '/nested'],
        ['GET', '/data'],
        ['POST', '/data', {}],
        ['GET', '/widgets/text/svg'],
        ['POST', '/widgets/script/run', {}],
        ['POST', '/snapshot', {}],
      ] as const
      for (const [method, path, body] of calls) {
        const answers = await Promise.all(
          [999_999, secret, broken].map((id) =>
            client.request(method, `/dashboards/${id}${path}`, {
              as: 'dashboard_viewer',
              ...(body && { json: body }),
            }),
          ),
        )
        for (const { status, code } of answers.map(({ body: problem }) => problem))
          expect([status, code], path).toEqual([404, 'not_found'])
        const texts = answers.map(({ body: problem }) => JSON.stringify({ ...problem, requestId: '' }))
        expect(new Set(texts).size, path).toBe(1)
      }
      const path = `/dashboards/${broken}`
      expectAnswer(await client.request('GET', path, { as: 'editor' }), { answers: 'not_found' })
      const raw = await good<Body>(client.request('GET', `${path}?raw=true`, { as: 'editor' }))
      expect(raw).toMatchObject({
        valid: false,
        problems: [{ pointer: '/definition', code: 'unreadable' }],
      })
      const put = { json: { name: 'Broken', version: raw['version'], definition: {} }, as: 'editor' } as const
      expect(await good(client.request('PUT', path, put))).toMatchObject({ valid: true, problems: [] })
      expectAnswer(await client.request('GET', path, { as: 'dashboard_viewer' }), { answers: 200 })
    },
    RUN_MAX_MS,
  )

  test(
    'widgets are mailed as images and as text, to each member of a group alone',
    async () => {
      const device = await makeDevice(client)
      const job = await makeJob(client, device, { parameters: { returnValue: [{ valueName: 'level' }] } })
      const json = { errorCode: 0, returnValue1: 7 }
      await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
      const source = { type: 'job', jobId: job }
      const widgets = {
        level: { kind: 'value', title: 'Level\n<b>', unit: 'm', source },
        gone: { kind: 'value', title: 'Gone', source: { type: 'job', jobId: 999_999 } },
        words: { kind: 'text', markdown: 'no image' },
      }
      const translations = { de: { name: 'Wochenbericht', 'widgets.level.title': 'Pegel' } }
      const { id } = await good<Made>(
        client.request('POST', '/dashboards', {
          json: { name: 'Report of the week', definition: { widgets, translations } },
        }),
      )
      const members = await Promise.all(
        ['ann', 'ben', 'cleo'].map((username) =>
          good<Made>(
            client.request('POST', '/users', {
              json: {
                username,
                role: 'dashboard_viewer',
                password: PASSWORD,
                ...(username !== 'cleo' && { email: `${username}@example.org` }),
              },
            }),
          ),
        ),
      )
      const group = await good<Made>(client.request('POST', '/userGroups', { json: { name: 'readers' } }))
      await good(
        client.request('PUT', `/userGroups/${group.id}/users`, {
          json: { userIds: members.map((one) => one.id) },
        }),
      )
      const recipientOf = (body: object) =>
        good<Made>(client.request('POST', '/alarmrecipients', { json: body }))
      const readers = await recipientOf({ name: 'readers', type: 'group', target: { userGroupId: group.id } })
      const office = await recipientOf({
        name: 'office',
        type: 'email',
        target: { addresses: ['office@example.org'] },
      })
      const ok = (recipientId: number) => ({ recipientId, status: 'ok' })
      expect(
        await good(
          client.request('POST', `/dashboards/${id}/mail`, {
            json: { recipientIds: [office.id, readers.id] },
          }),
        ),
      ).toMatchObject({ items: [ok(office.id), ok(readers.id)] })
      const letters = mail.take()
      expect(letters.map(({ to }) => to.join()).sort()).toEqual([
        'ann@example.org',
        'ben@example.org',
        'office@example.org',
      ])
      for (const { text } of letters) {
        expect(text).toContain('Subject: Report of the week\r\n')
        expect(text).toContain('Level <b>: 7 m, ok')
        expect(text).toContain('Gone: There is no such object.')
        expect(text.match(/filename=[^\r]*/g)).toEqual(['filename=level.svg'])
        const image = /filename=level.svg\r\n\r\n([^-]+)/.exec(text)?.[1] ?? ''
        expect(atob(image.replaceAll(/\s/g, ''))).toMatch(/^<svg [^]*&lt;b&gt;: 7 m, ok[^]*<\/svg>$/)
      }
      const { items } = await good<{ items: Body[] }>(client.request('GET', '/audit?action=mail'))
      expect(items[0]).toMatchObject({
        objectId: String(id),
        after: { recipients: [ok(office.id), ok(readers.id)] },
      })
      mail.refuses = () => ({ code: 550, text: 'No such user' })
      const refused = { json: { recipientIds: [office.id], subject: 'Weekly', widgets: ['level'] } }
      expect(await good(client.request('POST', `/dashboards/${id}/mail`, refused))).toMatchObject({
        items: [{ status: 'failed', detail: expect.stringContaining('No such user') as string }],
      })
      mail.refuses = () => null
    },
    RUN_MAX_MS,
  )

  test(
    'the last group and the 5,000th dashboard are made, the next ones are refused with this reason, also by an import',
    async () => {
      const post = (path: string, json: object) => client.request('POST', path, { json })
      const fill = (table: string, most: number, columns: string, values: string) =>
        hand.meddle(`with recursive numbers (n) as (
            select (select count(*) from ${table}) + 1 union all select n + 1 from numbers where n < ${most - 1})
          insert into ${table} (name, version, created_at, updated_at, ${columns})
          select 'filler ' || n, 1, 0, 0, ${values} from numbers`)
      const groups = [
        ['/dashboards/groups', 'dashboard_groups', 1_000, 'position, default_params', `0, '{}'`],
        ['/dataQueries/groups', 'data_query_groups', 200, 'description', `''`],
      ] as const
      for (const [path, table, most, columns, values] of groups) {
        await fill(table, most, columns, values)
        await good(post(path, { name: 'last' }))
        const refused = await post(path, { name: 'one more' })
        expectAnswer(refused, { answers: 'conflict' })
        expect(refused.body['detail']).toContain(`at most ${most} groups`)
      }
      const { id } = await makeBoard('Kept')
      const { body: document } = await post('/dashboards/export', { stable: true, ids: [id] })
      const columns = 'uuid, url_name, description, definition, number, managed_by, updated_by'
      await fill('dashboards', 5_000, columns, `'filler-' || n, 'filler-' || n, '', '{}', 1, '', ''`)
      await good(post('/dashboards', { name: 'Last' }))
      for (const refused of [
        await post('/dashboards', { name: 'One more' }),
        await post('/dashboards/import', { mode: 'copy', document }),
      ]) {
        expectAnswer(refused, { answers: 'conflict' })
        expect(refused.body['detail']).toBe('There must be at most 5000 dashboards. Delete one first.')
      }
      await hand.meddle(`delete from dashboards where name like 'filler %'`)
      for (const [, table] of groups) await hand.meddle(`delete from ${table} where name like 'filler %'`)
    },
    RUN_MAX_MS,
  )
})
