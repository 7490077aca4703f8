import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { startBun } from '../hosts/bun.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')
const PAGE = join(import.meta.dir, '../../docs/operations/monitoring-tidemark.md')
const TRACES = 'tidemark_trace_spans_total'
const NAME = /tidemark_[a-z_]+/g
/** They count the delivery of the test, which no flush has moved yet. */
const ENGINE_FIGURES = [
  'tidemark_jobs',
  'tidemark_values_stored_total',
  'tidemark_commits_total',
  'tidemark_unflushed_values',
  'tidemark_wal_rows',
  'tidemark_wal_bytes',
]
const TEST_MAX_MS = 180_000

const promtool = (args: readonly string[], input: string) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['promtool', ...args], { stdin: Buffer.from(input) })
  return { exitCode, output: stdout.toString() + stderr.toString() }
}

test(
  'Prometheus accepts the figures and the alerts, and the alerts and the dashboard name figures that exist',
  async () => {
    const host = await startBun()
    try {
      const { request } = await connectAdministrator(host)
      const make = async (path: string, json: object) =>
        (await good<{ readonly id: number }>(request('POST', path, { json }))).id
      const device = await make('/devices?parentId=1', { name: 'gauge' })
      const job = await make(`/jobs?parentId=${device}`, { name: 'level' })
      await good(request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0 } }))
      const { text } = await request('GET', '/metrics')
      for (const name of ENGINE_FIGURES)
        expect(Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]), name).toBeGreaterThan(0)
      expect(promtool(['check', 'metrics'], text)).toEqual({ exitCode: 0, output: '' })
      // The control: promtool refuses a figure without a help.
      expect(promtool(['check', 'metrics'], 'a_total{ 1\n').exitCode).not.toBe(0)
      const alerts = join(DEPLOY, 'prometheus/alerts.yaml')
      expect(promtool(['check', 'rules', alerts], '')).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('7 rules found') as unknown,
      })
      const known = new Set(text.match(NAME))
      // Only a service with traces has their figure.
      const documented = (await Bun.file(PAGE).text()).match(NAME)?.filter((name) => name !== TRACES) ?? []
      expect(documented.filter((name) => !known.has(name))).toEqual([])
      for (const file of [alerts, join(DEPLOY, 'grafana/tidemark.json')])
        for (const name of (await Bun.file(file).text()).match(NAME) ?? []) expect(known).toContain(name)
    } finally {
      await host.close()
    }
  },
  TEST_MAX_MS,
)
