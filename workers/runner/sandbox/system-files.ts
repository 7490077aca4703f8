import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { RunKind } from '../../../src/automation/runs/protocol.ts'

/** The directories of programs and libraries; where /usr holds them all, the others are links into it. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32']

/** The files of /etc that all programs read: none names this machine's people, services or secrets. */
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

/** Further files of one kind of programs, as prefixes of names in /etc: Java keeps its settings there, and what
 * lies in its own directory are links to them. */
const SETTINGS_OF_KIND: Readonly<Record<RunKind, readonly string[]>> = {
  python: ['python3'],
  shell: [],
  forecast: ['python3'],
  talend: ['java-', 'fonts'],
}

/** The system's files that a job of a kind finds, and links among them. */
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
