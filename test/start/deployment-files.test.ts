import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse, parseAllDocuments } from 'yaml'

import { EXIT } from '../../workers/server/failures.ts'
import { readServerSettings, settingWarnings } from '../../workers/server/settings.ts'
import {
  readRunnerSettings,
  settingWarnings as runnerSettingWarnings,
} from '../../workers/runner/settings.ts'
import { startCommand } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const text = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8')
const ANALYZE = '/usr/bin/systemd-analyze'
const TOKEN = 'x'.repeat(32)

/** The instructions of the stage of the Dockerfile for the service, and the names of all stages. */
const dockerfile = text('Dockerfile')
const service = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, name = '']) => name)

describe.each([
  ['tidemark', 14],
  ['tidemark-runner', 84],
] as const)('the unit %s', (name, exposure) => {
  const path = join(ROOT, 'deploy/systemd', `${name}.service`)
  const unit = text(`systemd/${name}.service`)
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

  test.skipIf(!existsSync(ANALYZE))('is accepted by systemd, with the exposure that its page names', () => {
    const verified = Bun.spawnSync([ANALYZE, 'verify', path])
    expect(`${verified.stdout.toString()}${verified.stderr.toString()}`).toBe('')
    expect(verified.exitCode).toBe(0)
    const { stdout } = Bun.spawnSync([ANALYZE, 'security', '--offline=true', '--no-pager', path])
    const [, found = ''] = /exposure level for \S+: ([\d.]+)/.exec(stdout.toString()) ?? []
    expect(Number(found) * 10).toBeLessThanOrEqual(exposure)
    const page = readFileSync(join(ROOT, 'docs/getting-started/systemd.md'), 'utf8')
    expect(page).toContain(`${exposure / 10}`)
  })

  test('starts at boot and after a failure, with the folder and the settings of its page, and closes its data to others', () => {
    const page = readFileSync(join(ROOT, 'docs/getting-started/systemd.md'), 'utf8')
    const settings = `/etc/${name}.env`
    const isService = name === 'tidemark'
    expect(page).toContain('/opt/tidemark')
    expect(page).toContain(settings)
    const keys = ['WantedBy', 'Restart', 'WorkingDirectory', 'EnvironmentFile', 'StateDirectoryMode']
    expect([...keys, 'UMask', 'Delegate'].map((key) => `${key}=${value(key)}`)).toEqual([
      'WantedBy=multi-user.target',
      'Restart=on-failure',
      'WorkingDirectory=/opt/tidemark',
      `EnvironmentFile=${isService ? '-' : ''}${settings}`,
      // The user of a run enters its own folder.
      `StateDirectoryMode=${isService ? '0700' : '0711'}`,
      `UMask=${isService ? '0077' : ''}`,
      `Delegate=${isService ? '' : 'yes'}`,
    ])
  })

  test('starts a command with settings that have an effect', () => {
    const variables = Object.fromEntries(
      value('Environment')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>
    if (name === 'tidemark') {
      expect(value('ExecStart')).toBe('/bin/sh workers/run.sh serve')
      expect(settingWarnings(variables)).toEqual([])
      expect(readServerSettings(variables).dataDir).toBe(`/var/lib/${value('StateDirectory')}`)
    } else {
      expect(value('ExecStart')).toBe('/bin/sh workers/run.sh runner')
      expect(runnerSettingWarnings(variables)).toEqual([])
      const settings = readRunnerSettings({ ...variables, TIDEMARK_RUNNER_TOKEN: TOKEN })
      expect(settings.dir).toBe(`/var/lib/${value('StateDirectory')}`)
    }
  })

  test('is not started again after an end that another start would repeat', () => {
    const codes = value('RestartPreventExitStatus').split(' ').map(Number)
    const all: readonly number[] = [EXIT.usage, EXIT.data, EXIT.directory, EXIT.settings]
    expect(codes).toEqual(name === 'tidemark' ? [...all] : [EXIT.usage, EXIT.settings])
  })
})

type Container = {
  readonly image: string
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly securityContext: Readonly<Record<string, unknown>>
} & Readonly<
  Record<`${'startup' | 'liveness' | 'readiness'}Probe`, { httpGet: { path: string; port: string } }>
>
type StatefulSet = {
  readonly spec: {
    readonly replicas: number
    readonly selector: { readonly matchLabels: object }
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: Readonly<Record<string, unknown>> & {
        readonly containers: readonly [Container]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[]
  }
}

describe('the health check of the image', () => {
  const check = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(service)?.[1] ?? '[]'
  const [, ...args] = JSON.parse(check) as readonly string[]

  test.each([
    [200, '', 0],
    [200, '/monitoring', 0],
    [500, '', 1],
    [404, '', 1],
  ])('of an answer %d below "%s" ends with %d', async (status, base, code) => {
    using server = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        new Response('', { status: new URL(url).pathname === `${base}/healthz` ? status : 404 }),
    })
    const variables = { TIDEMARK_PORT: String(server.port), ...(base !== '' && { TIDEMARK_BASE_PATH: base }) }
    expect((await startCommand(['bun', ...args], variables).ended).code).toBe(code)
  })

  test('of a service that accepts a connection and does not answer fails by itself', async () => {
    using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    const checking = startCommand(['bun', ...args], { TIDEMARK_PORT: String(server.port) })
    const end = await Promise.race([checking.ended, Bun.sleep(20_000)])
    checking.kill('SIGKILL')
    expect(end).toMatchObject({ code: 1 })
  }, 30_000)

  test('of a service whose port is closed fails', async () => {
    const server = Bun.serve({ port: 0, fetch: () => new Response('') })
    const variables = { TIDEMARK_PORT: String(server.port) }
    await server.stop(true)
    expect((await startCommand(['bun', ...args], variables).ended).code).not.toBe(0)
  })
})

describe('the file for Kubernetes', () => {
  const documents = parseAllDocuments(text('kubernetes/tidemark.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as { readonly kind: string; readonly spec: unknown }
  })
  const network = documents[0] as unknown as {
    readonly kind: string
    readonly spec: { readonly selector: object; readonly ports: readonly { readonly targetPort: string }[] }
  }
  const { spec, kind } = documents[1] as unknown as StatefulSet & { readonly kind: string }
  const pod = spec.template.spec
  const [container] = pod.containers

  test('has one pod, which the service finds', () => {
    expect([network.kind, kind, documents.length]).toEqual(['Service', 'StatefulSet', 2])
    expect(spec.replicas).toBe(1)
    expect(spec.template.metadata.labels).toEqual(network.spec.selector as never)
    expect(spec.selector.matchLabels).toEqual(network.spec.selector as never)
    expect(network.spec.ports.map(({ targetPort }) => targetPort)).toEqual(
      container.ports.map(({ name }) => name),
    )
  })

  test('agrees with the image on user, port and volume', () => {
    const { securityContext } = pod as { securityContext?: unknown }
    const [uid, gid] = (/^USER (.*)$/m.exec(service)?.[1] ?? '').split(':').map(Number)
    expect(securityContext).toMatchObject({
      runAsUser: uid,
      runAsGroup: gid,
      fsGroup: gid,
      runAsNonRoot: true,
    })
    expect(service).toContain(`EXPOSE ${container.ports[0]?.containerPort}\n`)
    const mounts = new Map(container.volumeMounts.map(({ mountPath, name }) => [mountPath, name]))
    const [, volume = ''] = /^VOLUME (.*)$/m.exec(service) ?? []
    expect(spec.volumeClaimTemplates.map(({ metadata }) => metadata.name)).toEqual([mounts.get(volume) ?? ''])
    expect(pod.volumes.map(({ name }) => name)).toEqual([mounts.get('/tmp') ?? ''])
  })

  test('gives the pod no rights, and no variables that settings would be', () => {
    expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('asks for life and readiness by different paths', () => {
    expect(container.startupProbe.httpGet.path).toBe('/healthz')
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  })
})

type Service = {
  readonly build: { readonly dockerfile: string; readonly target?: string }
  readonly profiles?: readonly string[]
  readonly volumes?: readonly (string | { readonly type: string; readonly target: string })[]
} & Readonly<Record<string, unknown>>

describe('compose', () => {
  const { services, volumes } = parse(text('compose.yaml'), { merge: true }) as {
    readonly services: { readonly tidemark: Service; readonly runner: Service }
    readonly volumes: Readonly<Record<string, unknown>>
  }
  const { tidemark, runner } = services

  test('has ten lines at most, builds stages that exist, and starts the runner for the profile alone', () => {
    expect(text('compose.yaml').trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    expect(Object.keys(services)).toEqual(['tidemark', 'runner'])
    expect(tidemark.profiles).toBeUndefined()
    expect(runner.profiles).toEqual(['scripts'])
    expect(stages).toContain(runner.build.target ?? '')
    expect(runner.build.dockerfile).toBe(tidemark.build.dockerfile)
    expect(tidemark.build.target).toBeUndefined()
    // Without a target the last stage is built.
    expect(service).toStartWith('\nFROM scratch\n')
  })

  test('keeps the data in a named volume, and the rest of the service read-only and on this machine', () => {
    const [, data = ''] = /^VOLUME (.*)$/m.exec(service) ?? []
    const [, port = ''] = /^EXPOSE (.*)$/m.exec(service) ?? []
    expect(tidemark).toMatchObject({
      read_only: true,
      restart: 'unless-stopped',
      ports: [`127.0.0.1:8080:${port}`],
      volumes: [`data:${data}`, { type: 'tmpfs', target: '/tmp' }],
      environment: ['TIDEMARK_ADMIN_PASSWORD', 'TIDEMARK_RUNNER_TOKEN'],
    })
    expect(Object.keys(volumes)).toEqual(['data'])
    expect(tidemark['privileged']).toBeUndefined()
  })

  test('gives the runner the network of the service and its token, and no password', () => {
    expect(runner).toMatchObject({
      network_mode: 'service:tidemark',
      privileged: true,
      restart: 'unless-stopped',
      environment: ['TIDEMARK_RUNNER_TOKEN'],
    })
    expect(runner.volumes).toBeUndefined()
  })
})

test('the form of the deploy button describes each secret, database and bucket, and no variable that is unknown', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly cloudflare: { readonly bindings: Readonly<Record<string, { readonly description: string }>> }
  }
  const wrangler = Bun.TOML.parse(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')) as {
    readonly vars: Readonly<Record<string, unknown>>
    readonly d1_databases: readonly { readonly binding: string }[]
    readonly r2_buckets: readonly { readonly binding: string }[]
  }
  const secrets = readFileSync(join(ROOT, '.dev.vars.example'), 'utf8').match(/^\w+(?==)/gm) ?? []
  const stores = [...wrangler.d1_databases, ...wrangler.r2_buckets].map(({ binding }) => binding)
  const described = Object.keys(manifest.cloudflare.bindings)
  expect([...secrets, ...stores].filter((name) => !described.includes(name))).toEqual([])
  const known = new Set([...secrets, ...stores, ...Object.keys(wrangler.vars)])
  expect(described.filter((name) => !known.has(name))).toEqual([])
})
