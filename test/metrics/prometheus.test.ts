import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../bench/peers/process.ts'
import { answering, AWAY, COLLECTOR, makeJob, openStage, received } from './stage.ts'
import type { Stage } from './stage.ts'

const TEST_MAX_MS = 180_000
// The compiler would read the types of browsers, which those of Bun contradict.
const SNIPPETS = join(import.meta.dir, '../../src/console/screens/objects/job/snippets.ts')
type Snippets = { readonly snippetOf: (sender: string, job: unknown, base: string) => string }

/** A target that counts its scrapes from 1, in a metric of that name. */
function startTarget(closing: AsyncDisposableStack): {
  port: number
  scrapes: () => number
  stop: () => Promise<void>
} {
  let count = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      count++
      return new Response(
        `# TYPE scrapes counter\nscrapes{place="a"} ${count}\n# TYPE idle gauge\nidle NaN\n`,
      )
    },
  })
  closing.defer(() => server.stop(true))
  return { port: server.port ?? 0, scrapes: () => count, stop: () => server.stop(true) }
}

/** The part of the configuration that writes to the host. */
const writeTo = ({ host }: Stage, relabel: string): string => `remote_write:
  - url: ${host.url}/api/v1/write
    basic_auth: { username: ${COLLECTOR.username}, password: ${COLLECTOR.password} }
    queue_config: { max_shards: 1, batch_send_deadline: 200ms, min_backoff: 50ms, max_backoff: 200ms }
    write_relabel_configs:
${relabel}`

/** Starts a Prometheus that scrapes a target each second and writes to a host; answers how to read its own metrics.
 * @param closing ends it
 * @param remoteWrite the part of the configuration about the host */
async function startPrometheus(
  closing: AsyncDisposableStack,
  targetPort: number,
  { remoteWrite, labels = '{}' }: { remoteWrite: string; labels?: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-prometheus-'))
  const port = freePort()
  await Bun.write(
    join(folder, 'prometheus.yml'),
    `
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - job_name: test
    static_configs: [{ targets: ['127.0.0.1:${targetPort}'], labels: ${labels} }]
${remoteWrite}`,
  )
  const child = Bun.spawn({
    cmd: [
      'prometheus',
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stdout: 'ignore',
    stderr: Bun.file(join(folder, 'log')),
  })
  closing.defer(async () => {
    child.kill()
    await child.exited
    await rm(folder, { recursive: true })
  })
  return {
    log: () => Bun.file(join(folder, 'log')).text(),
    /** The sum of one of its counters. */
    async counter(name: string): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
      if (lines.length === 0) throw new Error(`Prometheus has no ${name}.`)
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}

const nameJob = (jobId: number) => `
      - { source_labels: [__name__], regex: scrapes|idle, target_label: tidemark_job, replacement: '${jobId}' }
      - { source_labels: [tidemark_job], regex: .+, action: keep }
`

// On Debian: apt-get install prometheus. The tests wait for scrapes, and do it together.
describe.skipIf(Bun.which('prometheus') === null)('a real Prometheus', () => {
  test.concurrent(
    'writes what it scrapes to the job that its labels name, with the instant of the scrape, and no gap when it ends',
    async () => {
      await using closing = new AsyncDisposableStack()
      const stage = await openStage()
      closing.defer(() => stage.host.close())
      const jobId = await makeJob(stage, ['scrapes', 'idle'])
      const target = startTarget(closing)
      const startedAt = Date.now()
      const prometheus = await startPrometheus(closing, target.port, {
        remoteWrite: writeTo(stage, nameJob(jobId)),
      })
      const samples = await received(stage, { jobId, count: 4 })
      expect(samples.map(({ value }) => value)).toEqual(samples.map((_, index) => index + 1))
      for (const [index, { at }] of samples.entries()) {
        const gap = at - (samples[index - 1]?.at ?? at - 1000)
        expect(gap).toBeWithin(500, 1500)
      }
      expect(samples[0]?.at).toBeWithin(startedAt, Date.now())

      // A target that is gone makes its series stale: markers are sent, and are nothing to store.
      await target.stop()
      const written = target.scrapes()
      await Bun.sleep(3000)
      const all = await received(stage, { jobId, count: written })
      expect(all.map(({ value }) => value)).toEqual(all.map((_, index) => index + 1))
      expect(await stage.session.readSamples(stage.host.url, jobId, 'returnValue2')).toEqual([])
      expect(await prometheus.counter('prometheus_remote_storage_samples_failed_total')).toBe(0)
      expect(await prometheus.counter('prometheus_remote_storage_samples_total')).toBeGreaterThan(2 * written)
    },
    TEST_MAX_MS,
  )

  test.concurrent(
    'repeats what the service could not take until it is stored, in order and nothing twice',
    async () => {
      await using closing = new AsyncDisposableStack()
      let refused = 0
      const stage = await openStage(
        answering((parcels) => (refused < 3 && ++refused > 0 ? parcels.map(() => AWAY) : null)),
      )
      closing.defer(() => stage.host.close())
      const jobId = await makeJob(stage, ['scrapes', 'idle'])
      const prometheus = await startPrometheus(closing, startTarget(closing).port, {
        remoteWrite: writeTo(stage, nameJob(jobId)),
      })
      const samples = await received(stage, { jobId, count: 3 })
      expect(refused).toBe(3)
      expect(samples.map(({ value }) => value)).toEqual(samples.map((_, index) => index + 1))
      expect(await prometheus.counter('prometheus_remote_storage_samples_retried_total')).toBeGreaterThan(0)
    },
    TEST_MAX_MS,
  )

  test.concurrent(
    'writes the values of a job by the configuration that the console shows for it',
    async () => {
      await using closing = new AsyncDisposableStack()
      const stage = await openStage()
      closing.defer(() => stage.host.close())
      const jobId = await makeJob(stage, ['A name for people', 'scrapes'])
      const job = await stage.session.get(stage.host.url, `/jobs/${jobId}`)
      const folder = await mkdtemp(join(tmpdir(), 'tidemark-password-'))
      closing.defer(() => rm(folder, { recursive: true }))
      await Bun.write(join(folder, 'password'), COLLECTOR.password)
      const { snippetOf } = (await import(SNIPPETS)) as Snippets
      const copied = snippetOf('prometheus', job, stage.host.url)
      expect(copied).toContain('/etc/prometheus/tidemark')
      // As copied, but for the file that only root may write.
      const config = copied.replace('/etc/prometheus/tidemark', join(folder, 'password'))
      const target = startTarget(closing)
      const prometheus = await startPrometheus(closing, target.port, {
        remoteWrite: config,
        labels: `{ instance: 'localhost:9100' }`,
      })
      const samples = await received(stage, { jobId, key: 'returnValue2', count: 2 })
      expect(samples.slice(0, 2).map(({ value }) => value)).toEqual([1, 2])
      // The other series of the target and those of Prometheus about the scrape are dropped.
      expect(await stage.session.readSamples(stage.host.url, jobId, 'returnValue1')).toEqual([])
      expect(await prometheus.counter('prometheus_remote_storage_samples_failed_total')).toBe(0)
    },
    TEST_MAX_MS,
  )

  test.concurrent(
    'does not repeat what can never be taken, logs why, and goes on; what was good beside it is stored',
    async () => {
      await using closing = new AsyncDisposableStack()
      const stage = await openStage()
      closing.defer(() => stage.host.close())
      const jobId = await makeJob(stage, ['scrapes'])
      const everything = `      - { target_label: tidemark_job, replacement: '${jobId}' }\n`
      const prometheus = await startPrometheus(closing, startTarget(closing).port, {
        remoteWrite: writeTo(stage, everything),
      })
      const samples = await received(stage, { jobId, count: 3 })
      expect(samples.map(({ value }) => value)).toEqual(samples.map((_, index) => index + 1))
      expect(await prometheus.counter('prometheus_remote_storage_samples_failed_total')).toBeGreaterThan(0)
      expect(await prometheus.counter('prometheus_remote_storage_samples_retried_total')).toBe(0)
      expect(await prometheus.log()).toContain(`job ${jobId}: the value is not defined on the job`)
    },
    TEST_MAX_MS,
  )
})
