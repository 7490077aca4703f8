import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Directories, startCommand } from './command-line.ts'
import type { Started } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const BUBBLEWRAP = '/usr/bin/bwrap'
const MAKE_MAX_MS = 120_000
const START_MAX_MS = 180_000
const SIZE_MAX_BYTES = 250e6
const PASSWORD = 'correct horse battery'

/** The arguments of an instruction in the last stage of the Dockerfile. */
async function lastStage(): Promise<(name: string) => string> {
  const text = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8')
  const stage = text.slice(text.lastIndexOf('\nFROM '))
  return (name) => [...stage.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest]) => rest).join(' ')
}

/** The command of an instruction in its JSON form. */
function commandOf(instruction: string): readonly string[] {
  return JSON.parse(instruction.slice(instruction.indexOf('['))) as string[]
}

const directories = new Directories()
afterAll(() => directories.remove())

describe.skipIf(!existsSync(BUBBLEWRAP))('the image', () => {
  let root = ''
  let data = ''
  let stage = (_name: string): string => ''
  const started: Started[] = []

  /** Runs a command as a container does: by the settings of the Dockerfile, with a root that nobody can write. */
  function run(command: readonly string[], environment: Readonly<Record<string, string>> = {}): Started {
    const [uid = '', gid = ''] = stage('USER').split(':')
    const variables = [
      ...stage('ENV').split(' '),
      ...Object.entries(environment).map((pair) => pair.join('=')),
    ]
    const isolation = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--as-pid-1', '--die-with-parent']
    const user = ['--uid', uid, '--gid', gid, '--chdir', stage('WORKDIR'), '--clearenv']
    const files = ['--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp']
    const volume = ['--bind', data, stage('VOLUME')]
    const settings = variables.flatMap((variable) => {
      const [name = '', ...value] = variable.split('=')
      return ['--setenv', name, value.join('=')]
    })
    const options = [...isolation, ...user, ...files, ...volume, ...settings]
    const container = startCommand([BUBBLEWRAP, ...options, ...command], {})
    started.push(container)
    return container
  }

  async function serve(): Promise<{ readonly container: Started; readonly url: string }> {
    const settings = { TIDEMARK_PORT: '0', TIDEMARK_HOST: '127.0.0.1', TIDEMARK_ADMIN_PASSWORD: PASSWORD }
    const container = run(commandOf(stage('ENTRYPOINT')), settings)
    await container.until('Press Ctrl-C')
    const url = /listens at (\S+)/.exec(container.stdout)?.[1]
    if (url === undefined) throw new Error((await container.ended).stderr)
    return { container, url }
  }

  /** Stops the service as an engine of containers does: by a signal to its first process. */
  async function stop({ pid, ended }: Started) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    process.kill(Number.parseInt(children, 10), 'SIGTERM')
    return ended
  }

  beforeAll(async () => {
    stage = await lastStage()
    root = join(await directories.make(), 'root')
    data = await directories.make()
    const { code, stderr } = await startCommand(['sh', 'deploy/make-root.sh', root], {}).ended
    if (code !== 0) throw new Error(stderr)
  }, MAKE_MAX_MS)
  afterAll(async () => {
    for (const container of started) container.kill('SIGKILL')
    await Promise.all(started.map(({ ended }) => ended))
  })

  test('has less than 250 MB, and no shell', async () => {
    let bytes = 0
    for (const path of new Bun.Glob('**').scanSync({ cwd: root, dot: true }))
      bytes += Bun.file(join(root, path)).size
    expect(bytes).toBeGreaterThan(100e6)
    expect(bytes).toBeLessThan(SIZE_MAX_BYTES)
    expect((await run(['/bin/sh', '-c', 'true']).ended).code).not.toBe(0)
  })

  test(
    'serves the console and takes values with a root that can only be read, and has them after a restart',
    async () => {
      const first = await serve()
      expect((await fetch(`${first.url}/ui/`)).status).toBe(200)
      const headers = {
        authorization: `Basic ${btoa(`admin:${PASSWORD}`)}`,
        'content-type': 'application/json',
      }
      const body = JSON.stringify({ returnValue1: 21.5, errorCode: 0 })
      const delivered = await fetch(`${first.url}/webcollector/jobs/3/values`, {
        method: 'POST',
        headers,
        body,
      })
      expect(delivered.status).toBe(200)
      expect((await stop(first.container)).code).toBe(0)

      const second = await serve()
      const values = await (await fetch(`${second.url}/values?jobId=3`, { headers })).text()
      expect(values).toContain('21.5')
      await stop(second.container)
    },
    START_MAX_MS,
  )

  test(
    'is healthy while the service answers',
    async () => {
      const { container, url } = await serve()
      const check = commandOf(stage('HEALTHCHECK'))
      const settings = { TIDEMARK_PORT: new URL(url).port }
      expect((await run(check, settings).ended).code).toBe(0)
      await stop(container)
      expect((await run(check, settings).ended).code).not.toBe(0)
    },
    START_MAX_MS,
  )

  test(
    'imports a file into a table, and selects from it',
    async () => {
      const { container, url } = await serve()
      const headers = {
        authorization: `Basic ${btoa(`admin:${PASSWORD}`)}`,
        'content-type': 'application/json',
      }
      const post = async (path: string, body: string) => {
        const answer = await fetch(url + path, { method: 'POST', headers, body })
        if (!answer.ok) throw new Error(await answer.text())
        return (await answer.json()) as { readonly id: string; readonly rows: unknown }
      }
      const { id } = await post('/dataSources', JSON.stringify({ name: 'files', type: 'csv' }))
      const { id: upload } = await post(`/dataSources/${id}/uploads`, 'a\n1\n2\n')
      expect(await post(`/dataSources/${id}/import`, JSON.stringify({ upload, table: 't' }))).toMatchObject({
        rows: 2,
      })
      const sum = { aggregates: [{ fn: 'SUM', column: 'a', as: 'sum' }] }
      expect((await post(`/dataSources/${id}/tables/t/select`, JSON.stringify(sum))).rows).toEqual([[3]])
      await stop(container)
    },
    START_MAX_MS,
  )
})
