import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import packageJson from '../../package.json'
import { COMMANDS } from '../../workers/bun/commands/commands.ts'
import { startCommand, startHost } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')

let dir: string
let tidemark: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidemark-command-'))
  tidemark = join(dir, 'tidemark')
  // As npm links it.
  await symlink(join(ROOT, packageJson.bin.tidemark), tidemark)
})
afterAll(() => rm(dir, { recursive: true }))

async function run(...args: readonly string[]) {
  const child = Bun.spawn([tidemark, ...args], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      TIDEMARK_TOKEN: 'x',
      TIDEMARK_BACKUP_PASSPHRASE: 'a passphrase of a test',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { stdout, stderr, code: await child.exited }
}

test('tidemark is a command that finds its folder by a link, and says what it can', async () => {
  expect((await stat(tidemark)).mode & 0o111).toBe(0o111)
  const { code, stderr } = await run()
  expect(code).toBe(2)
  expect(stderr).toStartWith('Usage: tidemark <command>')
  const help = await run('--help')
  expect([help.code, help.stdout]).toEqual([0, stderr])
  for (const { name } of COMMANDS) expect(stderr).toContain(`\n  ${name} `)
})

test('every command prints its usage, its release, and refuses what it does not know with code 2', async () => {
  for (const command of ['serve', 'runner', 'backup', 'job']) {
    const help = await run(command, '--help')
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain(`tidemark ${command}`)
    const unknown = await run(command, '--frobnicate')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(/^Unknown (?:argument|option|action) '?--frobnicate'?\.\n/)
    expect(unknown.stderr).toContain(`tidemark ${command}`)
  }
  const unknown = await run('frobnicate')
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toStartWith('Unknown command frobnicate.\n')
  for (const word of ['version', '--version'])
    expect((await run(word)).stdout).toBe((await run('serve', '--version')).stdout)
}, 180_000)

test('data are kept where the command is called', async () => {
  const server = startCommand([tidemark, 'serve'], { TIDEMARK_PORT: '0', TIDEMARK_RUNNER: 'off' }, dir)
  await server.until('Ctrl-C')
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  expect(stdout).toContain(`Data:  ${join(dir, 'data')}\n`)
  expect(stderr).toContain('"signal":"SIGTERM","upSeconds":')
}, 180_000)

test('files are those of the directory where it is called', async () => {
  const { code, stderr } = await run('restore', 'nothing.gz')
  expect(code).toBe(65)
  expect(stderr).toContain(join(dir, 'nothing.gz'))
})

test('the host prints its usage and its version, and refuses an unknown argument with code 2', async () => {
  const ended = (argument: string) => startHost({}, [argument]).ended
  const help = await ended('--help')
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('--once')
  const version = await ended('--version')
  expect(version.code).toBe(0)
  expect(version.stdout).toBe(`tidemark ${packageJson.version} (interface 9.5.0)\n`)
  const unknown = await ended('--twice')
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toMatch(/^Unknown argument --twice\.\n[^]*--once/)
})
