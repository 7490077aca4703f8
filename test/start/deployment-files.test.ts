import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse, parseAllDocuments } from 'yaml'

import { EXIT } from '../../workers/bun/failures.ts'
import { readBunSettings, settingWarnings } from '../../workers/bun/settings.ts'
import {
  readRunnerSettings,
  settingWarnings as runnerSettingWarnings,
} from '../../workers/runner/settings.ts'

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

  test('starts a command with settings that have an effect', () => {
    const variables = Object.fromEntries(
      value('Environment')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>
    if (name === 'tidemark') {
      expect(value('ExecStart')).toBe('/bin/sh workers/run.sh serve')
      expect(settingWarnings(variables)).toEqual([])
      expect(readBunSettings(variables).dataDir).toBe(`/var/lib/${value('StateDirectory')}`)
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

test('compose builds stages that exist, and starts the runner for the profile alone', () => {
  const { services } = parse(text('compose.yaml')) as {
    readonly services: Readonly<
      Record<string, { readonly build: { readonly target?: string }; readonly profiles?: readonly string[] }>
    >
  }
  expect(Object.keys(services)).toEqual(['tidemark', 'runner'])
  expect(services['tidemark']?.profiles).toBeUndefined()
  expect(services['runner']?.profiles).toEqual(['scripts'])
  expect(stages).toContain(services['runner']?.build.target ?? '')
  // Without a target the last stage is built.
  expect(service).toStartWith('\nFROM scratch\n')
})
