import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../bench/peers/process.ts'

const ROOT = join(import.meta.dir, '../..')
const OFFLINE = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
const hasNode = Bun.spawnSync(['node', '-e', 'process.exit(process.versions.bun ? 1 : 0)']).success

for (const environment of ['', 'staging', 'production']) {
  test(`wrangler deploy --dry-run passes for ${environment || 'the top level'}, with every binding`, async () => {
    const outdir = await mkdtemp(join(tmpdir(), 'tidemark-deploy-'))
    const wrangler = [
      'node_modules/wrangler/bin/wrangler.js',
      'deploy',
      '--dry-run',
      '--outdir',
      outdir,
      '--env',
      environment,
    ]
    const deploy = Bun.spawn([hasNode ? 'node' : process.execPath, ...wrangler], {
      cwd: ROOT,
      env: OFFLINE,
      stderr: 'pipe',
    })
    const text = (await new Response(deploy.stdout).text()) + (await new Response(deploy.stderr).text())
    await rm(outdir, { recursive: true })

    expect(text).toContain('--dry-run: exiting now.')
    expect(await deploy.exited).toBe(0)
    for (const binding of ['env.JOB (JobObject)', 'env.DB', 'env.FILES', 'env.TIDEMARK_TIME_ZONE']) {
      expect(text).toContain(binding)
    }
  }, 60_000)
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
  90_000,
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
