import { expect } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Client } from './client.ts'
import { createDevice, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Code = { files: { path: string; content: string }[]; notes: string[] }
type Ran = {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  readonly left: string[]
}

const LANGUAGES = ['python', 'bash', 'javascript'] as const
const GENERATOR = '/scripts/codeGenerator'

const job = once(async (client) => {
  const device = await createDevice(client, 1, { name: 'code generator' })
  return {
    job: await createJob(client, device, {
      name: 'generated',
      parameters: { returnValue: [{ valueName: 'first' }, { valueName: 'second' }] },
    }),
  }
})

const asked = (more: object) => ({ template: 'alarms', language: 'python', target: {}, ...more })

const refusals: readonly Row[] = [
  { title: 'a request without credentials', call: `GET ${GENERATOR}`, as: null, answers: 'unauthenticated' },
  {
    title: 'a request without credentials',
    call: `POST ${GENERATOR}`,
    as: null,
    json: asked({}),
    answers: 'unauthenticated',
  },
  ...(['editor', 'collector', 'dashboard_viewer'] as const).flatMap((as): Row[] => [
    { title: as, call: `GET ${GENERATOR}`, as, answers: 'forbidden' },
    { title: as, call: `POST ${GENERATOR}`, as, json: asked({}), answers: 'forbidden' },
  ]),
  ...(['administrator', 'Data_Editor'] as const).flatMap((as): Row[] => [
    { title: as, call: `GET ${GENERATOR}`, as, answers: 200 },
    { title: as, call: `POST ${GENERATOR}`, as, json: asked({}), answers: 200 },
  ]),
  ...(
    [
      ['a template that is not there', { template: 'forecast' }, ['/template']],
      ['another language', { language: 'perl' }, ['/language']],
      ['a state that is none', { target: { state: "open'" } }, ['/target/state']],
      ['another target', { target: { jobId: 3 } }, ['/target/jobId']],
      ['Poetry in bash', { language: 'bash', options: { poetry: true } }, ['/options/poetry']],
      ['no job', { template: 'webhook-delivery' }, ['/target/jobId']],
      ['a job that is a text', { template: 'webhook-delivery', target: { jobId: '3' } }, ['/target/jobId']],
      ['a job of nought', { template: 'value-history', target: { jobId: 0 } }, ['/target/jobId']],
      [
        'a key that is none',
        { template: 'value-history', target: { jobId: 1, key: 'returnValue1&x=' } },
        ['/target/key'],
      ],
      [
        'the key of a text to deliver',
        { template: 'webhook-delivery', target: { jobId: 1, key: 'stringValue1' } },
        ['/target/key'],
      ],
      ...['jobs', '', '//example.org/x', '@example.org/', '/a b', '/a\n', `/${'x'.repeat(2_000)}`].map(
        (path) =>
          [
            `the path ${JSON.stringify(path.slice(0, 20))}`,
            { template: 'http-call', target: { path } },
            ['/target/path'],
          ] as const,
      ),
      [
        'another method',
        { template: 'http-call', target: { path: '/', method: 'TRACE' } },
        ['/target/method'],
      ],
      [
        'content with GET',
        { template: 'http-call', target: { path: '/', content: {} } },
        ['/target/content'],
      ],
      [
        'more content',
        {
          template: 'http-call',
          target: { path: '/', method: 'POST', content: ['x'.repeat(32 * 1024 - 3)] },
        },
        ['/target/content'],
      ],
    ] as const
  ).map(([title, more, pointers]) => ({
    title,
    call: `POST ${GENERATOR}`,
    json: asked(more),
    answers: 'invalid' as const,
    pointers,
  })),
  {
    title: 'the longest path',
    call: `POST ${GENERATOR}`,
    json: asked({ template: 'http-call', target: { path: `/${'x'.repeat(1_999)}` } }),
    answers: 200,
  },
  {
    title: 'the most content',
    call: `POST ${GENERATOR}`,
    json: asked({
      template: 'http-call',
      target: { path: '/', method: 'POST', content: ['x'.repeat(32 * 1024 - 4)] },
    }),
    answers: 200,
  },
  {
    title: 'a larger body',
    call: `POST ${GENERATOR}`,
    json: asked({ target: { state: 'x'.repeat(64 * 1024) } }),
    answers: 'too_large',
  },
]

const scenarios: Scenario[] = [
  {
    title: 'the templates are told with what each is about',
    async run(client) {
      const { templates } = await good<{
        templates: { template: string; languages: string[]; target: object }[]
      }>(client.request('GET', GENERATOR))
      expect(templates.map(({ template }) => template)).toEqual([
        'webhook-delivery',
        'value-history',
        'alarms',
        'http-call',
      ])
      for (const { languages, target } of templates) {
        expect(languages).toEqual([...LANGUAGES])
        expect(target).toMatchObject({ type: 'object', additionalProperties: false })
      }
    },
  },
  {
    title: 'the same question has the same answer, without a secret in it',
    async run(client) {
      for (const language of LANGUAGES) {
        const [one, another] = [await generated(client, { language }), await generated(client, { language })]
        expect(one).toEqual(another)
        expect(JSON.stringify(one)).not.toContain(client.sessionIds.administrator)
      }
      const python = await generated(client, { options: { poetry: true } })
      expect(python.files.map(({ path }) => path)).toEqual(['main.py', 'pyproject.toml'])
    },
  },
  ...LANGUAGES.flatMap((language): Scenario[] => [
    {
      title: `generated ${language} delivers a number, and reads it back`,
      decidedAbovePorts: 'generated scripts',
      async run(client) {
        const target = { jobId: (await job(client)).job, key: 'returnValue2' }
        const sent = await run(client, { template: 'webhook-delivery', language, target }, ['21.5'])
        expect(sent).toMatchObject({ status: 0, stderr: '' })
        expect(JSON.parse(sent.stdout)).toMatchObject({ jobId: target.jobId, accepted: 1 })
        const read = await run(client, { template: 'value-history', language, target })
        expect(read).toMatchObject({ status: 0, stderr: '' })
        expect(read.stdout).toContain('21.5')
      },
    },
    {
      title: `generated ${language} without a number, and with something else, delivers nothing and fails`,
      decidedAbovePorts: 'generated scripts',
      async run(client) {
        const target = { jobId: (await job(client)).job, key: 'returnValue2' }
        const before = await received(client, target.jobId)
        for (const given of [[], ['{}'], ['1, "errorCode": 3']]) {
          const { status, stderr } = await run(
            client,
            { template: 'webhook-delivery', language, target },
            given,
          )
          expect({ failed: status !== 0, isTold: stderr !== '' }).toEqual({ failed: true, isTold: true })
          expect(await received(client, target.jobId)).toBe(before)
        }
      },
    },
    {
      title: `generated ${language} lists alarms`,
      decidedAbovePorts: 'generated scripts',
      async run(client) {
        const { status, stderr } = await run(client, {
          template: 'alarms',
          language,
          target: { state: 'closed' },
        })
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      },
    },
    {
      title: `generated ${language} sends what it was given, and runs none of it`,
      decidedAbovePorts: 'generated scripts',
      async run(client) {
        const name = `'; touch pwned; '"""\\"$(touch pwned)\`touch pwned\`\${HOME}!! \u2028é🌊 ${language}`
        const made = await run(client, {
          template: 'http-call',
          language,
          target: { method: 'POST', path: '/groups?parentId=1', content: { name } },
        })
        expect(made).toMatchObject({ status: 0, stderr: '' })
        expect(JSON.parse(made.stdout)).toMatchObject({ name })
        const { id } = JSON.parse(made.stdout) as { id: number }
        const deleted = { method: 'DELETE', path: `/groups/${id}` }
        expect(await run(client, { template: 'http-call', language, target: deleted })).toMatchObject({
          status: 0,
        })
        const path = `/groups/${id}?a='$(touch\${IFS}pwned)'"&b=\`touch\${IFS}pwned\`[1-3]{a,b}#\\`
        const gone = await run(client, { template: 'http-call', language, target: { path } })
        expect(gone.status).not.toBe(0)
        expect(gone.stdout + gone.stderr).toContain('is an unknown parameter')
        for (const { left } of [made, gone]) expect(left).not.toContain('pwned')
      },
    },
  ]),
]

export const codeGeneratorSuite: Suite = {
  name: 'code generator',
  scenarios: [...table(job, refusals), ...scenarios],
}

/** How many numbers a job has received. */
async function received(client: Client, jobId: number): Promise<number> {
  const path = `/jobs/${jobId}/value-history?key=returnValue2&values=false`
  return (await good<{ aggregate: { count: number } }>(client.request('GET', path))).aggregate.count
}

function generated(client: Client, more: object): Promise<Code> {
  return good<Code>(client.request('POST', GENERATOR, { json: asked(more) }))
}

/** Runs generated code as a run of a script would, without the walls around it. */
async function run(client: Client, more: object, given: readonly string[] = []): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-code-'))
  try {
    const { files } = await generated(client, more)
    for (const { path, content } of files) await Bun.write(join(folder, path), content)
    const isPython = files.some(({ path }) => path === 'main.py')
    const process_ = Bun.spawn([...(isPython ? ['python3', 'main.py'] : ['bash', 'run.sh']), ...given], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        SVC_BASE_URL: client.host.url,
        SVC_SESSION_ID: client.sessionIds.administrator,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([
      new Response(process_.stdout).text(),
      new Response(process_.stderr).text(),
    ])
    return { status: await process_.exited, stdout, stderr, left: readdirSync(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
