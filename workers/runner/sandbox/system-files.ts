import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { RunKind } from '../../../src/automation/runs/protocol.ts'

/** The directories of programs and libraries. On a system with a merged /usr the others are links into it. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32']

/** The files of /etc that all programs read. They name no users, services or secrets of this machine. */
const SETTINGS = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/timezone',
]

/** Further files for one kind of run, as prefixes of names in /etc. Java keeps its settings there; its own directory has links
 * to them. */
const SETTINGS_OF_KIND: Readonly<Record<RunKind, readonly string[]>> = {
  python: ['python3'],
  shell: [],
  forecast: ['python3'],
  talend: ['java-', 'fonts'],
}

/** The files of the system for a job of a kind, and links among them. */
export function systemFilesFor(kind: RunKind): {
  readonly files: readonly string[]
  readonly links: readonly { readonly path: string; readonly to: string }[]
} {
  const programs = PROGRAMS.filter((path) => existsSync(path))
  const isLink = (path: string) => lstatSync(path).isSymbolicLink()
  const ofKind = readdirSync('/etc')
    .filter((name) => SETTINGS_OF_KIND[kind].some((beginning) => name.startsWith(beginning)))
    .map((name) => join('/etc', name))
  return {
    files: [
      ...programs.filter((path) => !isLink(path)),
      ...SETTINGS.filter((path) => existsSync(path)),
      ...ofKind,
    ],
    links: programs.filter(isLink).map((path) => ({ path, to: readlinkSync(path) })),
  }
}
