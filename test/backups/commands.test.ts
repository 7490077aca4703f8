import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { backup, restore } from '../../workers/bun/backup.ts'
import { rejection } from '../contract/rejection.ts'
import { ADMIN } from '../hosts/host.ts'
import { PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(180_000)
const ENVIRONMENT = {
  TIDEMARK_USERNAME: ADMIN.username,
  TIDEMARK_PASSWORD: ADMIN.password,
  TIDEMARK_BACKUP_PASSPHRASE: PASSPHRASE,
}
const ROOT = join(import.meta.dir, '../..')

let world: World
let folder = ''
beforeAll(async () => {
  world = await startWorld('bun')
  folder = await mkdtemp(join(tmpdir(), 'tidemark-command-'))
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

test('a backup goes into a file, and deleted objects come back out of it', async () => {
  const { id } = await world.good<{ id: number }>('POST', '/groups?parentId=1', { json: { name: 'kept' } })
  const file = join(folder, 'first.gz')
  expect(await backup([file, '--url', world.host.url, '--files'], ENVIRONMENT)).toContain('bytes')
  expect(await world.good<unknown[]>('GET', '/backups')).toEqual([])
  await world.good('DELETE', `/groups/${id}`)
  const asked = [file, '--url', world.host.url, '--objects', String(id)]
  expect(JSON.parse(await restore([...asked, '--dry-run'], ENVIRONMENT))).toMatchObject({ restored: false })
  expect((await world.ask('GET', `/groups/${id}`)).status).toBe(404)
  expect(JSON.parse(await restore(asked, ENVIRONMENT))).toMatchObject({ restored: true, objects: [{ id }] })
  expect((await world.ask('GET', `/groups/${id}`)).status).toBe(200)
})

test.each([
  [backup, []],
  [backup, ['a', 'b']],
  [backup, ['a', '--unknown']],
  [restore, ['nowhere.gz']],
  [backup, ['a', '--url', 'http://127.0.0.1:1']],
] as const)('what is wrong is said, and no file is left: %p %p', async (command, args) => {
  expect(await rejection(command(args, ENVIRONMENT))).toBeInstanceOf(RangeError)
  expect(String(await rejection(command([join(folder, 'x')], {})))).toContain('TIDEMARK_TOKEN')
  expect(await readdir(folder)).toEqual(['first.gz'])
})

test('npm run backup writes where it was called from', async () => {
  const child = Bun.spawn(
    ['sh', join(ROOT, 'workers/run.sh'), 'backup', 'second.gz', '--url', world.host.url],
    {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT, INIT_CWD: folder },
      stderr: 'pipe',
    },
  )
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
  expect((await readdir(folder)).sort()).toEqual(['first.gz', 'second.gz'])
})
