import { afterAll, expect, test } from 'bun:test'
import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { until } from '../until.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import { Receiver } from './receiver.ts'
import { SECRET } from './stage.ts'
const receiver = new Receiver()
afterAll(() => receiver.close())
type Told = { readonly message: string; readonly object: { readonly path: string } }

test.each(HOSTS_BY_HAND)(
  'a delivery on %s that breaches a limit is notified, and so is the recovery',
  async (_, start) => {
    const hand = await start({ TIDEMARK_OUTBOUND_ALLOW: 'localhost' })
    try {
      const admin = await connectAdministrator(hand.host)
      let now = Date.now() + 60_000
      await hand.moveTo(now)
      const warnings = async () =>
        (await good<{ warnings: { code: string }[] }>(admin.request('GET', '/readyz'))).warnings.map(
          ({ code }) => code,
        )
      const make = (name: string) =>
        good<{ id: number }>(
          admin.request('POST', '/alarmrecipients', {
            json: { name, type: 'webhook', target: { url: `${receiver.url}/${name}`, secret: SECRET } },
          }),
        )
      expect(await warnings()).toContain('alarms_without_recipient')
      // The first recipient is that of the first link, without a word on it.
      expect(await make('first')).toMatchObject({
        usedBy: [{ kind: 'link', linkId: 1, objectType: 'group', objectId: 1 }],
        warnings: [],
      })
      expect(await warnings()).not.toContain('alarms_without_recipient')
      const second = await make('second')
      expect(second).toMatchObject({ usedBy: [], warnings: [{ code: 'not_used' }] })
      const device = await good<{ id: number }>(
        admin.request('POST', '/devices?parentType=group&parentId=1', { json: { name: 'd' } }),
      )
      const job = await good<{ id: number }>(
        admin.request('POST', `/jobs?parentType=device&parentId=${device.id}`, {
          json: {
            name: 'j',
            subType: 'webcollector',
            interval: 'PT1M',
            parameters: { returnValue: [{ valueName: 'a' }] },
            thresholds: {
              minor: { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value: 10 }] },
            },
          },
        }),
      )
      const deliver = (value: number) =>
        good(
          admin.request('POST', `/webcollector/jobs/${job.id}/values`, {
            json: { returnValue1: value, errorCode: 0 },
          }),
        )
      await deliver(99)
      await hand.moveTo((now += 60_000))
      const links = (recipientId: number) =>
        good(admin.request('PUT', '/group/1/alarmLinks', { json: { links: [{ recipientId }] } }))
      // Who takes over hears of the alarm that is open, and of its end.
      expect(await links(second.id)).toMatchObject({ links: [{ id: 1 }], warnings: [] })
      await hand.moveTo((now += 60_000))
      await deliver(1)
      await hand.moveTo((now += 60_000))
      const all = receiver.take()
      expect(all.filter(({ path }) => path === '/second').map(({ json }) => json)).toMatchObject([
        { type: 'alarm.opened', data: { alarms: [{ state: 'minor' }] } },
        { type: 'alarm.closed' },
      ])
      const got = all.filter(({ path }) => path === '/first').map(({ json }) => json)
      expect(got).toMatchObject([
        {
          type: 'alarm.opened',
          data: { alarms: [{ event: 'opened', object: { path: '/root/d/j' }, state: 'minor' }] },
        },
        { type: 'alarm.closed', data: { alarms: [{ event: 'closed', state: 'ok', durationMs: 120_000 }] } },
      ])
      // Silence is told with since when, and within which time data was expected.
      const silent = await good<{ id: number }>(
        admin.request('POST', `/jobs?parentType=device&parentId=${device.id}`, {
          json: {
            name: 'silent',
            subType: 'webcollector',
            parameters: { timeout: 'PT5M', returnValue: [{ valueName: 'a' }] },
          },
        }),
      )
      await good(
        admin.request('POST', `/webcollector/jobs/${silent.id}/values`, {
          json: { returnValue1: 1, errorCode: 0 },
        }),
      )
      await hand.moveTo((now += 400_000))
      const messages = receiver
        .take()
        .flatMap(({ json }) => (json['data'] as { alarms: { message: string }[] }).alarms)
        .map(({ message }) => message)
      expect(messages).toHaveLength(1)
      expect(messages[0]).toMatch(
        /^no data since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d( \+\d\d:\d\d)? \(expected every 5 min\)$/,
      )
      // Then it fails: the alarm says what is wrong now, and who was told of it is told that.
      const [alarm] = (
        await good<{ items: { id: number; message: string }[] }>(
          admin.request('POST', '/alarms', { json: { state: ['open'] } }),
        )
      ).items
      const shown = () => good<{ message: string }>(admin.request('GET', `/alarms/${alarm?.id}`))
      const fail = (message: string) =>
        good(
          admin.request('POST', `/webcollector/jobs/${silent.id}/values`, {
            json: { errorCode: 1, message },
          }),
        )
      expect(alarm?.message).toStartWith('no data since')
      await fail('pg_dump: connection refused')
      await hand.moveTo((now += 61_000))
      expect(receiver.take().map(({ json }) => json)).toMatchObject([
        {
          type: 'alarm.updated',
          data: { alarms: [{ event: 'updated', state: 'warning', message: 'pg_dump: connection refused' }] },
        },
      ])
      expect(await shown()).toMatchObject({ message: 'pg_dump: connection refused' })
      // Another message of the same error code is no notification.
      await fail('pg_dump: no route to host')
      await hand.moveTo((now += 61_000))
      expect(receiver.take()).toEqual([])
      expect(await shown()).toMatchObject({ message: 'pg_dump: no route to host' })
      // A value that is not usual is told with its name, its unit and the usual values.
      const adaptiveValues = { window: 'P3D', season: 'none', minSamples: 3, minWidth: 2 }
      const learning = { key: 'returnValue1', operator: '<>', value: 0, adaptiveValues }
      const tank = await good<{ id: number }>(
        admin.request('POST', `/jobs?parentType=device&parentId=${device.id}`, {
          json: {
            name: 'tank',
            parameters: { returnValue: [{ valueName: 'Level', valueUnit: 'cm' }] },
            thresholds: { minor: { conditions: [learning] } },
          },
        }),
      )
      const beganAt = now - 48 * 3_600_000
      const timestamps = [...Array(48).keys()].map((hour) => beganAt + hour * 3_600_000)
      const series = { jobId: tank.id, key: 'returnValue1', timestamps, values: timestamps.map(() => 20) }
      await good(admin.request('POST', '/webcollector/values', { json: { series: [series] } }))
      await hand.moveTo((now += 2 * 3_600_000))
      receiver.take()
      const shownTank = () =>
        good<{ currentState: string; bands: { unknown: string | null }[] }>(
          admin.request('GET', `/jobs/${tank.id}?thresholds=true`),
        )
      expect((await shownTank()).bands).toMatchObject([{ unknown: null }])
      await good(
        admin.request('POST', `/webcollector/jobs/${tank.id}/values`, { json: { returnValue1: 50 } }),
      )
      await until(async () => (await shownTank()).currentState === 'minor')
      await hand.moveTo((now += 61_000))
      const told = receiver.take().flatMap(({ json }) => (json['data'] as { alarms: Told[] }).alarms)
      expect(told.filter(({ object }) => object.path === '/root/d/tank')).toMatchObject([
        { event: 'opened', message: 'Level is 50 cm; usual are 19 cm to 21 cm' },
      ])
    } finally {
      await hand.host.close()
    }
  },
  180_000,
)
