import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { JobView } from '../../src/automation/runs/schema.ts'
import type { EdgeHost } from '../hosts/edge.ts'
import type { Host } from '../hosts/host.ts'
import { EVERY_ROW } from '../api/suite.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { administratorOf } from './administrator.ts'
import { hostsOfIndex } from './index-hosts.ts'
import { talendJob } from './packages.ts'
import type { BandView, ForecastView, JobView as ForecastJob } from '../../src/analytics/forecasts/schema.ts'
import { ADMIN } from '../hosts/host.ts'
import { openRunnerOf } from './stage.ts'
import { until } from '../until.ts'
import type { RunnerStage } from './stage.ts'

const registrationToken = 'a-token-of-this-test-with-32-characters-or-more'
const HOUR_MS = 3_600_000
const ENDED = ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost']

/** The answers of the service to a script with its session. */
const CALLER = `
import json, os, urllib.request
url = os.environ["SVC_BASE_URL"] + "/scripts/mimetypes"
request = urllib.request.Request(url, headers={"X-Session-Id": os.environ["SVC_SESSION_ID"]})
with urllib.request.urlopen(request) as answer:
    print(answer.status, len(json.load(answer)) > 10)
print(os.environ["SVC_SESSION_ID"])
print("::tidemark progress=0.75 message=nearly")
with open(os.environ["SVC_OUTPUT_DIR"] + "/result.csv", "w") as result:
    result.write("a,b\\n")
`

/** Calls the service by its session as an administrator would, and then as its arguments say. */
const ATTACK = `
import os, sys, urllib.error, urllib.request
def call(method, path, body=None):
    request = urllib.request.Request(os.environ["SVC_BASE_URL"] + path, method=method, data=body and body.encode())
    request.add_header("X-Session-Id", os.environ["SVC_SESSION_ID"])
    request.add_header("Content-Type", "application/json")
    try:
        print(method, path, urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as refused:
        print(method, path, refused.code)
call("GET", "/runners")
if len(sys.argv) > 1:
    call(*sys.argv[1:])
`

for (const name of HOST_NAMES) {
  describe(`with the ${name} host, a runner`, () => {
    let host: Host
    let call: ReturnType<typeof administratorOf>['call']
    let json: ReturnType<typeof administratorOf>['json']
    let node: RunnerStage

    beforeAll(async () => {
      host = await startHost(name, { TIDEMARK_RUNNER_TOKEN: registrationToken })
      ;({ call, json } = administratorOf(host.url))
      // A machine may have a mirror of the index in its own network.
      node = await openRunnerOf(
        { url: host.url, registrationToken },
        { TIDEMARK_OUTBOUND_ALLOW: hostsOfIndex() },
      )
    }, 180_000)
    afterAll(async () => {
      await node.close()
      await host.close()
    }, 180_000)

    /** Of what the runner does alike for each host: with workerd by `npm run test:edge`. */
    const testOfRunner = (title: string, runs: () => Promise<void>) => {
      if (name === 'bun' || EVERY_ROW) test(title, runs, 180_000)
    }

    const fetchAs = (method: string, path: string) =>
      fetch(host.url + path, {
        method,
        headers: { authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}` },
      })

    /** Makes a script, runs it, and waits until that is over. */
    async function run(files: Readonly<Record<string, string | Uint8Array>>, configuration: object = {}) {
      const script = await json<{ id: number }>('POST', '/scripts', { name: crypto.randomUUID() })
      const path = `/scripts/${script.id}`
      for (const [file, content] of Object.entries(files)) await call('PUT', `${path}/files/${file}`, content)
      const made = await json<{ id: number }>('POST', `${path}/runConfigurations`, {
        name: 'one',
        ...configuration,
      })
      const job = await json<JobView>('POST', `${path}/run`, { runConfigurationId: made.id })
      const read = () => json<JobView>('GET', `${path}/jobs/${job.id}`)
      return { path: `${path}/jobs/${job.id}`, read }
    }

    async function ended(files: Readonly<Record<string, string | Uint8Array>>, configuration: object = {}) {
      const { path, read } = await run(files, configuration)
      await until(async () => ENDED.includes((await read()).state))
      const log = await json<{ lines: { text: string; stream: string }[] }>('GET', `${path}/log`)
      return { path, job: await read(), texts: log.lines.map(({ text }) => text) }
    }

    test('runs Python that calls the service by its session', async () => {
      const { job, texts, path } = await ended({ 'main.py': CALLER })
      expect({ state: job.state, texts }).toEqual({ state: 'succeeded', texts: ['200 True', '***'] })
      expect(job).toMatchObject({ exitCode: 0, progress: { value: 0.75, message: 'nearly' }, attempt: 1 })
      expect(job.isolation).toBe(node.runner.about.isolation)
      expect(await (await call('GET', `${path}/outputs/result.csv`)).text()).toBe('a,b\n')
    }, 180_000)

    test('fills a table by a refresh that is due', async () => {
      const script = await json<{ id: number }>('POST', '/scripts', { name: crypto.randomUUID() })
      const main = 'import os; open(os.environ["SVC_OUTPUT_DIR"] + "/t.csv", "w").write("a;b\\n007;1,5\\n")'
      await call('PUT', `/scripts/${script.id}/files/main.py`, main)
      const source = await json<{ id: number }>('POST', '/dataSources', { name: 'outputs', type: 'csv' })
      const path = `/dataSources/${source.id}/tables/t`
      await json('PUT', `${path}/refresh`, {
        from: {
          kind: 'script',
          scriptId: script.id,
          output: 't.csv',
          values: { decimal: ',' },
          columns: [
            { name: 'a', type: 'string' },
            { name: 'b', type: 'number' },
          ],
        },
        every: 'PT1H',
      })
      // On Workers a trigger finds it; on Bun the next round would, within five minutes.
      if ('scheduled' in host) await (host as EdgeHost).scheduled('*/5 * * * *')
      else await json('POST', `${path}/refresh`)
      const { state } = await json<{ state: object }>('GET', `${path}/refresh`)
      expect(state).toMatchObject({ failures: 0, refreshedAt: expect.any(String) as string })
      expect(await json<{ rows: unknown }>('POST', `${path}/select`, {})).toHaveProperty('rows', [
        ['007', 1.5],
      ])
    }, 180_000)

    test('runs a shell script with secrets, arguments and a failure', async () => {
      const { job, texts } = await ended(
        { 'run.sh': 'echo "$1 $REGION $DB_PASSWORD"; exit 4' },
        {
          arguments: ['--full'],
          envVariables: [
            { key: 'REGION', value: 'eu' },
            { key: 'DB_PASSWORD', value: 'a secret of ours', secret: true },
          ],
        },
      )
      expect(texts).toEqual(['--full eu ***'])
      expect(job).toMatchObject({ state: 'failed', exitCode: 4, error: 'The script ended with exit code 4.' })
    }, 180_000)

    test('gives no rights of an administrator to what a Data_Editor has run in the name of one', async () => {
      const { id } = await json<{ id: number }>('POST', '/scripts', { name: 'attacked' })
      const path = `/scripts/${id}`
      await call('PUT', `${path}/files/main.py`, ATTACK)
      const configuration = await json<{ id: number }>('POST', `${path}/runConfigurations`, { name: 'one' })
      const { token } = await json<{ token: string }>('POST', `${path}/webhookTokens`, { name: 'one' })
      const password = 'a-Long-Enough-Password-1'
      await json('POST', '/users', { username: 'data', password, role: 'Data_Editor' })
      const asEditor = (method: string, at: string, body: string) =>
        fetch(host.url + at, {
          method,
          body,
          headers: {
            authorization: `Basic ${btoa(`data:${password}`)}`,
            'content-type': 'application/json',
          },
        })
      const said = async () => {
        const job = (await (
          await fetch(`${host.url}/scripts/webhook/${token}`, { method: 'POST' })
        ).json()) as JobView
        const read = () => json<JobView>('GET', `${path}/jobs/${job.id}`)
        await until(async () => ENDED.includes((await read()).state))
        const log = await json<{ lines: { text: string }[] }>('GET', `${path}/jobs/${job.id}/log`)
        return log.lines.map(({ text }) => text)
      }
      const body = JSON.stringify({ username: 'pwned', password: 'Pwned-Long-Pw-1!x', role: 'administrator' })
      expect(await said()).toEqual(['GET /runners 200'])
      expect((await asEditor('PUT', `${path}/files/main.py`, 'print("mine")')).status).toBe(403)
      const configured = (change: object) =>
        asEditor(
          'PUT',
          `${path}/runConfigurations/${configuration.id}`,
          JSON.stringify({ name: 'one', isDefault: true, ...change }),
        )
      expect((await configured({ envVariables: [{ key: 'BASH_ENV', value: 'x' }] })).status).toBe(403)
      expect((await configured({ arguments: ['POST', '/users', body] })).status).toBe(200)
      expect(await said()).toEqual(['GET /runners 403', 'POST /users 403'])
      const users = await json<{ username: string }[]>('GET', '/users')
      expect(users.map(({ username }) => username)).not.toContain('pwned')
    }, 180_000)

    testOfRunner('runs a job of Talend', async () => {
      const { job, texts } = await ended(await talendJob(), {
        arguments: ['all'],
        envVariables: [{ key: 'REGION', value: 'eu' }],
      })
      expect(texts).toEqual(['greetings to --context=Default all in eu'])
      expect(job).toMatchObject({ state: 'succeeded' })
    })

    testOfRunner('runs what the code generator writes, in each language', async () => {
      const parent = (type: string, id: number) => `parentType=${type}&parentId=${id}`
      const device = await json<{ id: number }>('POST', `/devices?${parent('group', 1)}`, {
        name: 'generated',
      })
      const { id: jobId } = await json<{ id: number }>('POST', `/jobs?${parent('device', device.id)}`, {
        name: 'generated',
        parameters: { returnValue: [{ valueName: 'first' }] },
      })
      const generated = async (asked: object) => {
        const { files } = await json<{ files: { path: string; content: string }[] }>(
          'POST',
          '/scripts/codeGenerator',
          asked,
        )
        return Object.fromEntries(files.map(({ path, content }) => [path, content]))
      }
      for (const [place, language] of ['python', 'bash', 'javascript'].entries()) {
        const target = { jobId }
        const delivery = await generated({ template: 'webhook-delivery', language, target })
        const sent = await ended(delivery, { arguments: [String(place + 21.5)] })
        expect({ language, state: sent.job.state, texts: sent.texts }).toMatchObject({ state: 'succeeded' })
        expect(JSON.parse(sent.texts.join(''))).toMatchObject({ jobId, accepted: 1 })
        const read = await ended(await generated({ template: 'value-history', language, target }))
        expect({ language, state: read.job.state }).toMatchObject({ state: 'succeeded' })
      }
      const history = await json<{ aggregate: { count: number; max: number } }>(
        'GET',
        `/jobs/${jobId}/value-history?values=false`,
      )
      expect(history.aggregate).toMatchObject({ count: 3, max: 23.5 })
    })

    test('ends what is cancelled, and what takes too long', async () => {
      const script = { 'run.sh': 'trap "exit 1" TERM; echo up; sleep 600 & wait' }
      const { path, read } = await run(script)
      await until(async () => (await read()).state === 'running')
      await call('POST', `${path}/cancel`)
      await until(async () => ENDED.includes((await read()).state))
      expect(await read()).toMatchObject({ state: 'cancelled' })
      expect((await ended(script, { timeout: 1 })).job).toMatchObject({ state: 'timed_out' })
    }, 180_000)

    test('predicts the values of a job, whose limit then has the bounds of the forecast', async () => {
      const device = await json<{ id: number }>('POST', '/devices?parentId=1', { name: 'predicted' })
      const adaptiveValues = { source: 'forecast', forecastId: 1, level: 95 }
      const conditions = [{ key: 'returnValue1', operator: '<>', value: 0, adaptiveValues }]
      const job = await json<{ id: number }>('POST', `/jobs?parentId=${device.id}`, {
        name: 'visitors',
        parameters: { returnValue: [{ valueName: 'visitors', valueDivisor: 10 }] },
        thresholds: { minor: { conditions } },
      })
      const hour = Math.floor(Date.now() / HOUR_MS)
      const timestamps = Array.from({ length: 24 * 20 }, (_, place) => (hour - 24 * 20 + place) * HOUR_MS)
      const usualNow = () => usual(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
      const usual = (at: number) => 100 + 30 * Math.sin((2 * Math.PI * at) / (24 * HOUR_MS))
      const values = timestamps.map((at, place) => 10 * (usual(at) + (place % 5) - 2))
      await call('POST', '/webcollector/values', {
        series: [{ jobId: job.id, key: 'returnValue1', timestamps, values }],
      })
      const source = await json<{ id: number }>('POST', '/dataSources', { name: 'predictions', type: 'csv' })
      const forecast = await json<ForecastView>('POST', '/forecasts', {
        name: 'Visitors, two days',
        source: { type: 'job', jobId: job.id, key: 'returnValue1' },
        step: 'PT1H',
        horizon: 'P2D',
        timeZone: 'UTC',
        model: { kind: 'linear_regression' },
        table: { dataSourceId: source.id, name: 'Visitors' },
      })
      expect(forecast).toMatchObject({ id: 1, state: 'never', figures: null })
      const ordered = await json<ForecastJob>('POST', '/forecasts/1/run')
      expect(ordered).toMatchObject({ forecastId: 1, trigger: 'manual', published: false })
      const at = `/forecasts/1/jobs/${ordered.id}`
      await until(async () => ENDED.includes((await json<ForecastJob>('GET', at)).state))
      const log = await json<{ lines: { text: string }[] }>('GET', `${at}/log`)
      const finished = await json<ForecastJob>('GET', at)
      expect({ ...finished, log }).toMatchObject({ state: 'succeeded', error: null })
      expect(log.lines.at(-1)?.text).toBe('1 of 1 groups have a forecast.')
      await until(async () => (await json<ForecastView>('GET', '/forecasts/1')).state !== 'never')
      const read = await json<ForecastView>('GET', '/forecasts/1')
      expect(read).toMatchObject({
        state: 'ready',
        publishedRun: ordered.id,
        failure: null,
        quality: { good: 1 },
      })
      expect(read.figures?.text).toMatch(
        /^off by \d+\.\d % on average over 5 trials of 48 hours; the same time of the day before would be off by \d+\.\d %; \d+ % of values were inside the 95 % band$/,
      )
      const band = await json<BandView>('GET', '/forecasts/1/band')
      expect(band.buckets).toHaveLength(48)
      const [first] = band.buckets
      expect(Math.abs((first?.mean ?? 0) - usual(Date.parse(first?.begin ?? '')))).toBeLessThan(4)
      const selected = await json<{ columns: { name: string }[]; rows: unknown[][] }>(
        'POST',
        '/forecasts/1/select',
        {
          columns: ['ds', 'yhat', 'yhat_lower_95', 'yhat_upper_95', 'kind'],
          orderBy: [{ column: 'ds' }],
        },
      )
      expect(selected.rows).toHaveLength(96)
      expect(selected.rows[48]?.[1]).toBeCloseTo(first?.mean ?? 0, 6)
      const stateAfter = async (value: number) => {
        await call('POST', `/webcollector/jobs/${job.id}/values`, { returnValue1: value * 10, errorCode: 0 })
        return json<{ currentState: string; message: string | null; limits: { unknown: string | null } }>(
          'GET',
          `/jobs/${job.id}`,
        )
      }
      await until(async () => (await stateAfter(usualNow())).limits.unknown === null)
      expect(await stateAfter(usualNow())).toMatchObject({ currentState: 'ok' })
      const bad = await stateAfter(1_000)
      expect(bad.currentState.toLowerCase()).toBe('minor')
      expect(bad.message).toMatch(/^returnValue1 is 1000; usual are values from /)
      expect((await fetchAs('DELETE', '/forecasts/1')).status).toBe(409)
      expect((await fetchAs('DELETE', '/forecasts/1?forceDelete=true')).status).toBe(204)
      await until(async () => (await stateAfter(1_000)).limits.unknown !== null)
      expect((await stateAfter(1_000)).currentState).toBe('ok')
    }, 180_000)

    test('has nothing to tell of but that it looks for jobs', () => {
      const messages = node.logs.map((line) => (JSON.parse(line) as { message: string }).message)
      // A machine that keeps nothing apart is warned of.
      const isWarned = node.runner.about.isolation === 'none'
      expect(messages.filter((_, place) => !isWarned || place > 0)).toEqual(['runner: started'])
    })
  })
}
