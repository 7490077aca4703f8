import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { EVERY_ROW } from '../api/suite.ts'
import { freePort } from '../bench/peers/process.ts'

const ROOT = join(import.meta.dir, '../..')
/** Without a login of this machine. */
const OFFLINE = { ...process.env, XDG_CONFIG_HOME: '/nonexistent', HOME: '/nonexistent' }
const hasNode = Bun.spawnSync(['node', '-e', 'process.exit(process.versions.bun ? 1 : 0)']).success

for (const environment of EVERY_ROW ? ['top', 'staging', 'production'] : ['production']) {
  test.skipIf(!hasNode)(
    `npm run deploy -- --dry-run builds ${environment} offline, with every binding`,
    async () => {
      const deploy = Bun.spawn(['sh', 'workers/run.sh', 'deploy', '--dry-run', '--env', environment], {
        cwd: ROOT,
        env: OFFLINE,
        stderr: 'pipe',
      })
      const text = (await new Response(deploy.stdout).text()) + (await new Response(deploy.stderr).text())

      expect(text).toContain('--dry-run: exiting now.')
      expect(text).toContain('; nothing was changed')
      expect(await deploy.exited).toBe(0)
      for (const binding of ['env.JOB (JobObject)', 'env.DB', 'env.FILES', 'env.TIDEMARK_TIME_ZONE']) {
        expect(text).toContain(binding)
      }
    },
    180_000,
  )
}

test.skipIf(!hasNode)(
  'npm run dev:edge serves the Worker on this machine, sends its first request and prints little',
  async () => {
    const port = freePort()
    const dev = Bun.spawn(['sh', 'workers/run.sh', 'dev-edge', '--port', String(port)], {
      cwd: ROOT,
      env: process.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let text = ''
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder()
      for await (const piece of stream) text += decoder.decode(piece, { stream: true })
    }
    const printed = Promise.all([collect(dev.stdout), collect(dev.stderr)])
    try {
      const answer = await firstAnswer(`http://127.0.0.1:${port}/readyz`)
      expect(answer).toMatchObject({
        status: 'ok',
        checks: { database: { status: 'ok' }, blobs: { status: 'ok' } },
      })
      // The command sends its own first request once a second.
      for (let tried = 0; tried < 100 && !text.includes('GET /healthz 200'); tried++) await Bun.sleep(200)
    } finally {
      dev.kill('SIGINT')
      await dev.exited
    }
    await printed
    expect(text).toContain(`The Worker listens at http://localhost:${port};`)
    expect(text).toContain('GET /healthz 200')
    expect(text.split('\n').length).toBeLessThan(50)
    expect(text).not.toMatch(/continue\?|0000_/)
  },
  180_000,
)

async function firstAnswer(url: string): Promise<unknown> {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      return await (await fetch(url)).json()
    } catch {
      await Bun.sleep(200)
    }
  }
  throw new Error(`${url} never answered.`)
}
