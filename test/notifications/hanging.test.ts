import { afterAll, expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { Receiver } from './receiver.ts'
import { SECRET } from './stage.ts'

const TEST_MAX_MS = 180_000
const HANGS_MS = 5_000

const receiver = new Receiver()
afterAll(() => receiver.close())

type Made = { readonly id: number }

test.each(HOST_NAMES)(
  'on %s a receiver that hangs delays no other one',
  async (name) => {
    const host = await startHost(name, { TIDEMARK_OUTBOUND_ALLOW: 'localhost' })
    try {
      const admin = await connectAdministrator(host)
      const make = (path: string, json: object) => good<Made>(admin.request('POST', path, { json }))
      receiver.answer = async ({ path }) => {
        if (path === '/hangs') await Bun.sleep(HANGS_MS)
        return new Response('ok')
      }
      /** A job whose alarms go to a receiver of their own; gives what makes it bad. */
      const jobTo = async (path: string) => {
        const target = { url: `${receiver.url}/${path}`, secret: SECRET }
        const recipient = await make('/alarmrecipients', {
          name: path,
          type: 'webhook',
          target,
          grouping: 'PT0S',
        })
        const device = await make('/devices?parentType=group&parentId=1', { name: path })
        const links = { links: [{ recipientId: recipient.id }] }
        await good(admin.request('PUT', `/device/${device.id}/alarmLinks`, { json: links }))
        const job = await make(`/jobs?parentType=device&parentId=${device.id}`, {
          name: path,
          parameters: { returnValue: [{ valueName: 'v' }] },
        })
        return () =>
          good(
            admin.request('POST', `/webcollector/jobs/${job.id}/values`, {
              json: { returnValue1: 1, errorCode: 1 },
            }),
          )
      }
      // The first recipient has the link of the root group.
      await jobTo('first')
      const [hang, tell] = [await jobTo('hangs'), await jobTo('answers')]
      const isCalled = (path: string) => receiver.got.some((got) => got.path === path)
      await hang()
      while (!isCalled('/hangs')) await Bun.sleep(10)
      const at = performance.now()
      await tell()
      while (!isCalled('/answers')) await Bun.sleep(10)
      expect(performance.now() - at).toBeLessThan(HANGS_MS / 2)
    } finally {
      receiver.take()
      await host.close()
    }
  },
  TEST_MAX_MS,
)
