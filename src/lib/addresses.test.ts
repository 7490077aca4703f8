import { expect, test } from 'bun:test'

import { addressIn, faultOfReceiver, isPublicAddress } from './addresses.ts'

const ALLOW = 'the setting TIDEMARK_OUTBOUND_ALLOW lists'
const HTTPS = `must be an https: URL, unless ${ALLOW} its host`
const PRIVATE = `leads to a private address: only hosts that ${ALLOW} may do so`

const NONE: ReadonlySet<string> = new Set()

test.each([
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '169.253.255.255',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  '',
  'example.org',
  '127.0.0.1',
  '127.255.255.255',
  '10.255.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '169.254.169.254',
  '100.64.0.0',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::7f00:1',
  '::808:808',
  '::8.8.8.8',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  'fec0::1',
  '5f00::1',
  '4000::1',
  '2002:7f00:1::',
  '2001::1',
  'fc00::1',
  'fdff::1',
  'fe80::1',
  'fe80::1%1',
  'ff02::1',
  '2001:db8::1',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:8080', '192.0.2.7'],
  ['2001:DB8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['', 'unknown'],
  ['unknown', 'unknown'],
  ['_hidden', 'unknown'],
  ['<script>', 'unknown'],
  ['1', 'unknown'],
  ['192.0.2.7:', 'unknown'],
  ['192.0.2.7 192.0.2.8', 'unknown'],
  ['[192.0.2.7', 'unknown'],
  ['192.0.2.7'.repeat(20), 'unknown'],
])('a proxy that writes %p speaks of %s', (text, address) => {
  expect(addressIn(text)).toBe(address)
})

test.each([
  'https://example.org/x',
  'https://example.org:8443/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://localhost.example.org/',
])('%s may be sent to', (url) => {
  expect(faultOfReceiver(url, NONE)).toBeNull()
})

test.each([
  ['/relative', 'must be a URL'],
  ['https://', 'must be a URL'],
  ['http://example.org/', HTTPS],
  ['file:///etc/passwd', 'must be a URL'],
  ['https://a:b@example.org/', 'must have no credentials'],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'printer.local',
    'db.internal',
    'host',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '2130706433',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0:0:0:0:0:ffff:169.254.169.254]',
    '169.254.169.254.',
  ].map((host) => [`https://${host}/`, PRIVATE] as const),
])('%s is refused: it %s', (url, fault) => {
  expect(faultOfReceiver(url, NONE)).toBe(fault)
})

test('what the operator allows may be private and without TLS, by host or by host and port', () => {
  const allowed = new Set(['hooks.lan', '10.0.0.7:8080'])
  expect(faultOfReceiver('http://hooks.lan:99/', allowed)).toBeNull()
  expect(faultOfReceiver('http://10.0.0.7:8080/', allowed)).toBeNull()
  expect(faultOfReceiver('https://10.0.0.7/', allowed)).toBe(PRIVATE)
  expect(faultOfReceiver('https://user@hooks.lan/', allowed)).toBe('must have no credentials')
})
