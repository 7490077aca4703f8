import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Job } from './job.ts'
import { exampleBody, snippetOf } from './snippets.ts'
import type { Sender } from './snippets.ts'

type Received = { readonly path: string; readonly login: string; readonly body: unknown }
let received: Received[] = []
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      const login = atob(request.headers.get('authorization')?.replace('Basic ', '') ?? '')
      received.push({ path: new URL(request.url).pathname, login, body: await request.json() })
      return Response.json({})
    },
  })
})
afterAll(() => server.stop(true))

const named = (valueName: string) => ({ valueName, valueUnit: '', valueDivisor: 1, valueDescription: '' })
const job = {
  id: 42,
  name: "Keeper's level",
  parameters: { returnValue: [named('Level outer'), named('queue_size')], stringValue: [named('Mode')] },
  values: {
    returnValue1: { value: 3.12, rawValue: 3.12, timestamp: '' },
    returnValue2: { value: -4, rawValue: -4, timestamp: '' },
    stringValue1: { value: `it's "100 %" $HOME \\ é`, rawValue: '', timestamp: '' },
  },
} as unknown as Job

async function run(command: string[]): Promise<Received[]> {
  received = []
  const env = { ...process.env, TIDEMARK_USERNAME: 'sender', TIDEMARK_PASSWORD: 'password' }
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' })
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
  return received
}

const snippet = (sender: Sender): string => snippetOf(sender, job, `http://localhost:${server.port}`)
const delivered = { path: '/webcollector/jobs/42/values', login: 'sender:password', body: exampleBody(job) }

test('the curl command delivers the values of the job, with quotes and signs of the shell in them', async () => {
  expect(await run(['sh', '-c', snippet('curl')])).toEqual([delivered])
})

test('the command of the crontab runs after cron has replaced its percent signs', async () => {
  const line = snippet('crontab').split('\n')[1] ?? ''
  const command = line
    .replace('*/5 * * * * ', '')
    .replaceAll('\\%', '%')
    .replace('--netrc', '-u sender:password')
  expect(await run(['sh', '-c', command])).toEqual([delivered])
})

test('the step of the GitHub Action delivers the body that its environment holds', async () => {
  const { jobs } = Bun.YAML.parse(snippet('github')) as {
    readonly jobs: {
      readonly deliver: {
        readonly steps: readonly { readonly env: { readonly BODY: string }; readonly run: string }[]
      }
    }
  }
  const [step] = jobs.deliver.steps
  expect(
    await run(['env', `BODY=${step?.env.BODY}`, 'LOGIN=sender:password', 'sh', '-c', step?.run ?? '']),
  ).toEqual([delivered])
})

test('the unit of systemd holds the body as one variable', async () => {
  const setting = /^Environment="BODY=(.*)"$/m.exec(snippet('systemd'))?.[1] ?? ''
  const body = setting.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1')
  const command = /-c '(.*)'$/m.exec(snippet('systemd'))?.[1] ?? ''
  expect(await run(['env', `BODY=${body}`, 'sh', '-c', command])).toEqual([delivered])
})

test('the command of OTLP names the job and the value of each data point', async () => {
  const [request] = await run(['sh', '-c', snippet('opentelemetry')])
  const text = JSON.stringify(request?.body)
  expect(request?.path).toBe('/otlp/v1/metrics')
  for (const part of ['"tidemark.job"', '"42"', '"returnValue1"', '"queue_size"', '-4'])
    expect(text).toContain(part)
  expect(text).toMatch(/"timeUnixNano":"\d{19}"/)
})

test('the configuration of Prometheus is YAML and keeps the series of the job alone', () => {
  const read = Bun.YAML.parse(snippet('prometheus')) as {
    readonly remote_write: readonly {
      readonly write_relabel_configs: readonly { readonly action?: string }[]
    }[]
  }
  expect(read.remote_write[0]?.write_relabel_configs).toHaveLength(5)
  expect(read.remote_write[0]?.write_relabel_configs.at(-1)?.action).toBe('keep')
})

test('the program in Python delivers the values', async () => {
  expect(await run(['python3', '-c', snippet('python')])).toEqual([delivered])
})

/** A command of PowerShell as its tokens: words, variables, symbols and strings, as `about_Parsing` and `about_Quoting_Rules` say.
 * Each quotation mark of a kind ends a string that one of this kind has begun, unless it is doubled.
 * @throws {Error} for a string without an end */
function powershellTokens(text: string): readonly { readonly kind: string; readonly text: string }[] {
  const SINGLE = "'\u2018\u2019\u201A\u201B"
  const DOUBLE = '"\u201C\u201D\u201E'
  const tokens: { kind: string; text: string }[] = []
  let at = 0
  while (at < text.length) {
    const marks = [SINGLE, DOUBLE].find((some) => some.includes(text[at] ?? ''))
    if (marks !== undefined) {
      let string = ''
      for (at += 1; ; at += 1) {
        const here = text[at]
        if (here === undefined) throw new Error(`A string has no end: ${string}`)
        if (!marks.includes(here)) string += here
        else if (marks.includes(text[at + 1] ?? '-')) string += text[++at]
        else break
      }
      tokens.push({ kind: marks === SINGLE ? 'literal' : 'expandable', text: string })
      at += 1
      continue
    }
    const [rest = ''] = /^(?:`\n|[ \t]+|\n|[^\s'"`\u2018-\u201E]+|.)/su.exec(text.slice(at)) ?? []
    if (rest === '\n') tokens.push({ kind: 'end', text: '' })
    else if (rest.trim() !== '' && rest !== '`\n') tokens.push({ kind: 'word', text: rest })
    at += rest.length
  }
  return tokens
}

test.each([
  ['plain', 'text'],
  ['quotation marks of each kind', `'' ' \u2018 \u2019 \u201A \u201B \u201C \u201D \u201E " ""`],
  ['signs of the shell', '$(Remove-Item x) ${env:PATH} `n `` ; | & # <# @{} %'],
  ['a string that would end the command', "'); Stop-Computer; ('"],
  ['characters outside ASCII', 'Größe 潮 🌊'],
])('the command of PowerShell holds %s as one string', (_, value) => {
  const hostile = {
    ...job,
    parameters: { returnValue: [], stringValue: [named('Mode')] },
    values: { stringValue1: { value, rawValue: value, timestamp: '' } },
  } as unknown as Job
  const tokens = powershellTokens(snippetOf('powershell', hostile, 'https://tide.example'))
  const literals = tokens.filter(({ kind }) => kind === 'literal').map(({ text }) => text)
  const [body = '', ...others] = literals
  expect(JSON.parse(body)).toEqual({ stringValue1: value, errorCode: 0 })
  expect(others).toEqual(['https://tide.example/webcollector/jobs/42/values', 'application/json'])
  // The words of the command are the same for each value: nothing of the value is outside of its string.
  expect(tokens.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []))).toEqual([
    '$login',
    '=',
    '$basic',
    '=',
    '[Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($login))',
    '$body',
    '=',
    '[Text.Encoding]::UTF8.GetBytes(',
    ')',
    'Invoke-RestMethod',
    '-Method',
    'Post',
    '-Uri',
    '-Headers',
    '@{',
    'Authorization',
    '=',
    '}',
    '-ContentType',
    '-Body',
    '$body',
  ])
  // Four statements: only a backtick at the end of a line joins two lines.
  expect(tokens.filter(({ kind }) => kind === 'end')).toHaveLength(4)
})
