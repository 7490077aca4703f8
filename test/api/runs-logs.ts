import { expect } from 'bun:test'

import type { LogView } from '../../src/automation/runs/schema.ts'
import { must } from '../runs/fake-runner.ts'
import { stageOf } from './runs-stage.ts'
import { good } from './suite.ts'
import type { Scenario } from './suite.ts'

const line = (n: number, text = `line ${n}`) => ({
  line: n,
  at: 1_770_000_000_000 + n,
  stream: 'stdout' as const,
  text,
})
const lines = (from: number, count: number) => Array.from({ length: count }, (_, at) => line(from + at))

/** What logs and events of runs promise. */
export const runLogs: readonly Scenario[] = [
  {
    title: 'of a log the first hundred lines and the last nine hundred are kept, in pages',
    async run(client) {
      const { scriptId, begun, read: job } = await stageOf(client)
      const held = await begun()
      for (let from = 1; from <= 1_500; from += 500) await must(held.log(lines(from, 500)))
      await must(held.finish({ logLines: 1_600 }))
      expect((await job(held.id)).log).toEqual({ lines: 1_600, dropped: 600 })
      const path = `/scripts/${scriptId}/jobs/${held.id}/log`
      const seen: number[] = []
      let page: LogView = { offset: 0, completed: false, lines: [], dropped: 0 }
      while (!page.completed) {
        page = await good<LogView>(client.request('GET', `${path}?offset=${page.offset}&limit=300`))
        seen.push(...page.lines.map(({ n }) => n))
      }
      expect(seen).toEqual([...lines(1, 100), ...lines(601, 900)].map((one) => one.line))
      expect(page.dropped).toBe(600)
    },
  },
  {
    title: 'a part of a log counts once, and none may be missing',
    async run(client) {
      const { scriptId, begun } = await stageOf(client)
      const held = await begun()
      await must(held.log(lines(1, 2), 1))
      await must(held.log([line(1, 'another')], 1))
      expect((await held.log(lines(9, 1), 3)).code).toBe('conflict')
      await must(held.log([line(3, 'é\u0001🌊 "quoted"')], 2))
      const log = await good<LogView>(client.request('GET', `/scripts/${scriptId}/jobs/${held.id}/log`))
      expect(log.lines.map(({ n, text }) => [n, text])).toEqual([
        [1, 'line 1'],
        [2, 'line 2'],
        [3, 'é\u0001🌊 "quoted"'],
      ])
      expect(log.completed).toBe(false)
    },
  },
  {
    title: 'lines, parts and what is left are bounded',
    async run(client) {
      const { begun } = await stageOf(client)
      const held = await begun()
      const codeOf = async (saying: ReturnType<typeof held.log>) => (await saying).code
      await must(held.log([line(1, 'x'.repeat(10_000))], 1))
      expect(await codeOf(held.log([line(2, 'x'.repeat(10_001))], 2))).toBe('invalid')
      expect(await codeOf(held.log(lines(2, 501), 2))).toBe('invalid')
      expect(
        await codeOf(
          held.log(
            Array.from({ length: 120 }, (_, at) => line(2 + at, 'x'.repeat(9_000))),
            2,
          ),
        ),
      ).toBe('too_large')
      await must(held.log(lines(2, 500), 2))
      for (let count = 1; count <= 20; count++)
        await must(held.say('PUT', `outputs/${count}.txt`, { bytes: new Uint8Array(1) }))
      expect((await held.say('PUT', 'outputs/21.txt', { bytes: new Uint8Array(1) })).code).toBe('conflict')
      await must(held.say('PUT', 'outputs/20.txt', { bytes: new Uint8Array(10 * 1024 * 1024) }))
      const large = await held.say('PUT', 'outputs/20.txt', { bytes: new Uint8Array(10 * 1024 * 1024 + 1) })
      expect(large.code).toBe('too_large')
      expect(
        (await held.say('PUT', 'outputs/..', { bytes: new Uint8Array(1) })).status,
      ).toBeGreaterThanOrEqual(404)
      expect((await held.say('POST', 'progress', { json: { value: 1.1, message: null } })).code).toBe(
        'invalid',
      )
      await must(held.say('POST', 'progress', { json: { value: 1, message: null } }))
    },
  },
  {
    title: 'a log is followed until the job has ended, from where its reader left it',
    async run(client) {
      const { scriptId, begun } = await stageOf(client)
      const held = await begun()
      const path = `/scripts/${scriptId}/jobs/${held.id}/log`
      const headers = { accept: 'text/event-stream' }
      await must(held.log(lines(1, 3)))
      const following = client.request('GET', path, { headers })
      await must(held.log(lines(4, 2)))
      await must(held.finish({ logLines: 5 }))
      const whole = await following
      expect(whole.headers.get('content-type')).toContain('text/event-stream')
      expect(eventsIn(whole.text, 'line').map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5'])
      expect(eventsIn(whole.text, 'end')).toMatchObject([{ data: { state: 'succeeded', logLines: 5 } }])
      const rest = await client.request('GET', `${path}?follow=true`, { headers: { 'last-event-id': '3' } })
      expect(eventsIn(rest.text, 'line').map(({ id }) => id)).toEqual(['4', '5'])
      const none = await client.request('GET', `${path}?follow=true`, { as: 'collector' })
      expect(none.status).toBe(403)
    },
  },
  {
    title: 'how runs go is told to who reads events and may read scripts',
    async run(client) {
      const first = await client.request('GET', '/events?kind=script&once=true')
      const [{ id: place } = { id: '' }] = eventsIn(first.text, 'ready')
      const { begun } = await stageOf(client)
      const held = await begun()
      await must(held.say('POST', 'progress', { json: { value: 0.5, message: 'half' } }))
      await must(held.finish())
      const told = async (as: 'editor' | 'Data_Editor' | 'collector' | 'dashboard_viewer', query = '') => {
        const headers = { 'last-event-id': place }
        const answer = await client.request('GET', `/events?kind=script&once=true${query}`, { headers, as })
        return eventsIn(answer.text, 'script').filter(({ data }) => data['jobId'] === held.id)
      }
      for (const as of ['editor', 'Data_Editor'] as const) {
        const states = (await told(as)).map(({ data }) => data['state'])
        expect(states).toEqual(['queued', 'assigned', 'preparing', 'running', 'running', 'succeeded'])
      }
      expect((await told('editor'))[4]?.data).toMatchObject({ progress: { value: 0.5, message: 'half' } })
      for (const as of ['collector', 'dashboard_viewer'] as const) expect(await told(as)).toEqual([])
      expect(await told('editor', '&objectId=1')).toEqual([])
    },
  },
]

type Told = { readonly id: string; readonly event: string; readonly data: Readonly<Record<string, unknown>> }

/** The events of this name in a stream. */
function eventsIn(stream: string, event: string): Told[] {
  return stream.split('\n\n').flatMap((frame) => {
    const fields = new Map(
      frame
        .split('\n')
        .map((row) => [row.slice(0, row.indexOf(':')), row.slice(row.indexOf(':') + 2)] as const),
    )
    if (fields.get('event') !== event) return []
    const data = JSON.parse(fields.get('data') ?? '{}') as Told['data']
    return [{ id: fields.get('id') ?? '', event, data }]
  })
}
