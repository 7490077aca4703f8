import { expect } from 'bun:test'

import { anyText, bareStage, good, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

const VALUES = 'GET /values'
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `jobId=${10_000_000 + index}`).join('&')

const refusals: readonly Row[] = [
  { title: 'a request without credentials', call: `${VALUES}?jobId=1`, as: null, answers: 'unauthenticated' },
  { title: 'no job', call: VALUES, answers: 'invalid', pointers: ['?jobId'] },
  { title: 'an id that is none', call: `${VALUES}?jobId=x`, answers: 'invalid', pointers: ['?jobId'] },
  { title: '1 job', call: `${VALUES}?jobId=10000000`, answers: 200 },
  { title: '100 jobs', call: `${VALUES}?${many(100)}`, answers: 200 },
  { title: '101 jobs', call: `${VALUES}?${many(101)}`, answers: 'invalid', pointers: ['?jobId'] },
]

const scenarios: readonly Scenario[] = [
  {
    title: 'the latest values of jobs have names, units and precision; other ids are left out',
    async run(client) {
      const device = await makeDevice(client)
      const job = await makeJob(client, device, {
        parameters: {
          returnValue: [
            { valueName: 'level', valueUnit: 'm', valueDivisor: 10, valuePrecision: 2 },
            { valueName: 'never sent' },
          ],
          stringValue: [{ valueName: 'mode' }],
        },
      })
      const silent = await makeJob(client, device)
      const send = (json: object) =>
        good(client.request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0, ...json } }))
      await send({ returnValue1: 12, stringValue1: 'calm' })
      await send({ returnValue1: 31 })
      const ids = [silent, device, job, 10_000_000, job].map((id) => `jobId=${id}`).join('&')
      expect(await good(client.request('GET', `/values?${ids}`, { as: 'dashboard_viewer' }))).toEqual({
        items: [
          { jobId: silent, values: [] },
          {
            jobId: job,
            values: [
              {
                key: 'returnValue1',
                name: 'level',
                unit: 'm',
                precision: 2,
                value: 3.1,
                rawValue: 31,
                timestamp: anyText,
              },
              {
                key: 'stringValue1',
                name: 'mode',
                unit: '',
                precision: null,
                value: 'calm',
                rawValue: 'calm',
                timestamp: anyText,
              },
            ],
          },
        ],
      })
    },
  },
]

export const currentValuesSuite: Suite = {
  name: 'current values',
  scenarios: [...table(bareStage, refusals), ...scenarios],
}
