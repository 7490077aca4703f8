import type { Peer } from './peer.ts'
import { run } from './process.ts'

const TOOLS = { wrk: 'wrk', taskset: 'util-linux' } as const

/** Debian's packages that these peers and the load need and that are not there. */
export function missingPackages(peers: readonly Peer[]): readonly string[] {
  const programs = [
    ...Object.entries(TOOLS).map(([program, name]) => ({ program, package: name })),
    ...peers.flatMap(({ debian }) => (debian === null ? [] : [debian])),
  ]
  return programs.filter(({ program }) => Bun.which(program) === null).map((one) => one.package)
}

/** Installs packages and stops the services that Debian starts with them. It must run as root. */
export async function install(packages: readonly string[]): Promise<void> {
  await run(['apt-get', 'update'])
  await run([
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    'install',
    '-y',
    '--no-install-recommends',
    ...packages,
  ])
  if (Bun.which('systemctl') === null) return
  for (const name of packages.filter((one) => !Object.values<string>(TOOLS).includes(one))) {
    const service = name === 'icinga2-bin' ? 'icinga2' : name
    await run(['sh', '-c', `[ ! -d /run/systemd/system ] || systemctl disable --now ${service}`])
  }
}

/** The release of each peer, as Debian counts them. */
export async function versionsOf(peers: readonly Peer[]): Promise<string> {
  const versions = peers.map(async ({ name, debian }) =>
    debian === null ? [] : [`${name} ${await run(['dpkg-query', '-W', '-f', '${Version}', debian.package])}`],
  )
  return (await Promise.all(versions)).flat().join(', ')
}
