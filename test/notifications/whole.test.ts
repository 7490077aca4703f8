import { afterAll, expect, test } from 'bun:test'
import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import { Receiver } from './receiver.ts'
import { SECRET } from './stage.ts'
const receiver = new Receiver()
afterAll(() => receiver.close())
test.each(HOSTS_BY_HAND)(
  'a delivery on %s that breaches a limit is told, and that it is well again',
  async (_, start) => {
    const hand = await start({ TIDEMARK_OUTBOUND_ALLOW: 'localhost' })
    try {
      const admin = await connectAdministrator(hand.host)
      let now = Date.now() + 60_000
      await hand.moveTo(now)
      const { id } = await good<{ id: number }>(
        admin.request('POST', '/alarmrecipients', {
          json: { name: 'hook', type: 'webhook', target: { url: receiver.url, secret: SECRET } },
        }),
      )
      const links = await good<{ links: object[] }>(admin.request('GET', '/group/1/alarmLinks'))
      await good(
        admin.request('PUT', '/group/1/alarmLinks', {
          json: { links: links.links.map((one) => ({ ...one, recipientId: id })) },
        }),
      )
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
      await deliver(1)
      await hand.moveTo((now += 60_000))
      const got = receiver.take().map(({ json }) => json)
      expect(got).toMatchObject([
        {
          type: 'alarm.opened',
          data: { alarms: [{ event: 'opened', object: { path: '/root/d/j' }, state: 'minor' }] },
        },
        { type: 'alarm.closed', data: { alarms: [{ event: 'closed', state: 'ok', durationMs: 60_000 }] } },
      ])
    } finally {
      await hand.host.close()
    }
  },
  60_000,
)
