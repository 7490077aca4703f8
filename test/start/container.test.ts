import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { rejection } from '../contract/rejection.ts'
import { readUntil } from '../until.ts'
import { Directories, startCommand } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const TOOLS = ['buildah', 'podman', 'runc', 'debootstrap', 'node', 'npm'] as const
const DOCKERFILE = 'deploy/Dockerfile'
const MAKE_MAX_MS = 1_800_000
const SIZE_MAX_BYTES = 250e6
const USER = 10_001
const PASSWORD = 'correct horse battery'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

setDefaultTimeout(180_000)
const directories = new Directories()

/** Runs a command in this repository. @throws {Error} with its output unless it ends with 0 */
async function done(command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommand(command, {}, ROOT).ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}.\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Builds the images of the Dockerfile without a registry: its two bases are made of Debian's packages and this machine's Node.js. */
describe.skipIf(TOOLS.some((tool) => Bun.which(tool) === null))('the Dockerfile', () => {
  let storage: readonly string[] = []
  const buildah = (...args: readonly string[]) => done(['buildah', ...storage, ...args])
  const podman = (...args: readonly string[]) =>
    done(['podman', ...storage, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args])
  /** Evaluates in the running container. */
  const evaluate = (code: string) => podman('exec', 'tidemark', '/usr/bin/bun', '-e', code)

  /** An image with this name, of the files below a folder. */
  async function makeBase(name: string, folder: string): Promise<void> {
    const container = await buildah('from', 'scratch')
    await buildah('add', '--quiet', container, folder, '/')
    await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container)
    await buildah('commit', '--quiet', container, name)
    await buildah('rm', container)
  }

  const build = (...args: readonly string[]) =>
    buildah(
      'bud',
      '--pull-never',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '-f',
      DOCKERFILE,
      ...args,
      '.',
    )

  beforeAll(async () => {
    const parent = await directories.make()
    storage = ['--root', join(parent, 'storage'), '--runroot', join(parent, 'run')]
    const system = join(parent, 'system')
    await done(['debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', system])
    await done(['cp', '-L', CERTIFICATES, join(system, CERTIFICATES)])
    const [, debian = ''] = /^FROM (debian:\S+)/m.exec(await readFile(join(ROOT, DOCKERFILE), 'utf8')) ?? []
    await makeBase(`docker.io/library/${debian}`, system)
    const modules = join(system, 'usr/lib/node_modules')
    await done(['mkdir', '-p', modules])
    const npm = await done(['npm', 'root', '-g'])
    await done(['cp', '-R', join(npm, 'npm'), modules])
    await done(['cp', '-L', Bun.which('node') ?? '', join(system, 'usr/bin/node')])
    await done(['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(system, 'usr/bin/npm')])
    const [, node = ''] = /^FROM (node:\S+)/m.exec(await readFile(join(ROOT, DOCKERFILE), 'utf8')) ?? []
    await makeBase(`docker.io/library/${node}`, system)
    await build('-t', 'tidemark')
  }, MAKE_MAX_MS)
  afterAll(async () => {
    await podman('rm', '--all', '--force', '--volumes')
    await buildah('rmi', '--all', '--force')
    await directories.remove()
  }, MAKE_MAX_MS)

  test('makes an image of less than 250 MB', async () => {
    const bytes = Number(await podman('image', 'inspect', '--format', '{{.Size}}', 'tidemark'))
    expect(bytes).toBeGreaterThan(100e6)
    expect(bytes).toBeLessThan(SIZE_MAX_BYTES)
  })

  test('starts with a root that is read-only, as a user without rights, is healthy unless it hangs, takes a value and ends by a stop', async () => {
    // A machine may not let its containers raise limits.
    const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
    const options = [
      '--read-only',
      '--tmpfs',
      '/tmp',
      '-v',
      'data:/data',
      '--network',
      'none',
      '--cap-drop=all',
    ]
    const variables = ['-e', `TIDEMARK_ADMIN_PASSWORD=${PASSWORD}`, '--health-interval=disable']
    await podman('run', '-d', ...options, ...limits, ...variables, '--name', 'tidemark', 'tidemark')
    const log = await readUntil(
      () => podman('logs', 'tidemark'),
      (text) => text.includes('Press Ctrl-C'),
    )
    expect(log).toContain('listens at http://localhost:8080')
    await podman('healthcheck', 'run', 'tidemark')
    const write = "try { require('fs').writeFileSync('/app/x', ''); console.log('written') }"
    expect(await evaluate(`${write} catch ({ code }) { console.log(code, process.getuid()) }`)).toBe(
      `EROFS ${USER}`,
    )
    const headers = `{ authorization: 'Basic ' + btoa('admin:${PASSWORD}'), 'content-type': 'application/json' }`
    const request = `{ method: 'POST', headers: ${headers}, body: '{"returnValue1": 21.5, "errorCode": 0}' }`
    const deliver = `(await fetch('http://127.0.0.1:8080/webcollector/jobs/3/values', ${request})).status`
    expect(await evaluate(`console.log(${deliver})`)).toBe('200')
    await podman('kill', '--signal', 'STOP', 'tidemark')
    expect(String(await rejection(podman('healthcheck', 'run', 'tidemark')))).toContain('ended with 1.')
    await podman('kill', '--signal', 'CONT', 'tidemark')
    await podman('healthcheck', 'run', 'tidemark')
    await podman('stop', '--time', '30', 'tidemark')
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', 'tidemark')).toBe('0')
  })

  test(
    'makes an image with a runner, and what runs need',
    async () => {
      await build('--target', 'runner', '-t', 'runner')
      const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096', '--network', 'none']
      expect(await podman('run', '--rm', ...limits, 'runner', '--help')).toContain('tidemark runner')
      const look = [
        '--entrypoint',
        '/bin/sh',
        'runner',
        '-c',
        'bwrap --version && poetry --version && socat -V',
      ]
      expect(await podman('run', '--rm', ...limits, ...look)).toMatch(/bubblewrap[^]*Poetry[^]*socat/)
    },
    MAKE_MAX_MS,
  )
})
