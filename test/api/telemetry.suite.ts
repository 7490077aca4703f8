import { expect } from 'bun:test'

import { bareStage, good, table } from './suite.ts'
import type { Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

/** The value of the first sample whose name and labels begin so; NaN without one. */
function valueOf(text: string, sample: string): number {
  const line = text.split('\n').find((one) => one.startsWith(sample))
  return Number(line?.slice(line.lastIndexOf(' ')))
}

/** `GET /metrics`. */
export const telemetrySuite: Suite = {
  name: 'telemetry',
  scenarios: [
    {
      title: 'counts requests by kind and status, and has alarms, notifications and runs',
      async run(client) {
        const request: typeof client.request = (...asked) => client.request(...asked)
        const read = async () => {
          const { status, headers, text } = await request('GET', '/metrics')
          expect(status).toBe(200)
          expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
          return text
        }
        const job = await makeJob(client, await makeDevice(client))
        const before = await read()
        await good(request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0 } }))
        expect((await request('POST', `/webcollector/jobs/${job}/values`, { json: {} })).status).toBe(422)
        await good(
          request('POST', '/webcollector/values', { json: { deliveries: [{ jobId: job, errorCode: 0 }] } }),
        )
        const after = await read()
        const rise = (sample: string) => valueOf(after, sample) - (valueOf(before, sample) || 0)
        expect(rise('tidemark_http_requests_total{kind="delivery",status="2xx"}')).toBe(1)
        expect(rise('tidemark_http_requests_total{kind="delivery",status="4xx"}')).toBe(1)
        expect(rise('tidemark_http_requests_total{kind="bulk",status="2xx"}')).toBe(1)
        expect(rise('tidemark_http_request_duration_seconds_count{kind="delivery"}')).toBe(2)
        expect(rise('tidemark_http_request_duration_seconds_bucket{kind="delivery",le="+Inf"}')).toBe(2)
        for (const name of [
          'tidemark_alarms{status="open"}',
          'tidemark_notifications{status="waiting"}',
          'tidemark_runs_waiting',
        ])
          expect(valueOf(after, name)).toBeGreaterThanOrEqual(0)
        expect(after).toContain('tidemark_build_info{version="')
        // On Workers jobs live in objects of their own, so there are no figures of one engine.
        for (const name of ['tidemark_jobs', 'tidemark_deadline_lateness_seconds'])
          expect(after.includes(`# TYPE ${name} gauge`), name).toBe(client.host.name !== 'edge')
      },
    },
    ...table(bareStage, [
      { title: 'an editor', call: 'GET /metrics', as: 'editor', answers: 'forbidden' },
      { title: 'no caller', call: 'GET /metrics', as: null, answers: 'unauthenticated' },
    ]),
  ],
}
