import { expect, test } from 'bun:test'

import { openNetwork } from './network.ts'

test.each([
  [0, '203.0.113.9', '192.0.2.1'],
  [0, null, '192.0.2.1'],
  [1, '203.0.113.9', '203.0.113.9'],
  [1, '198.51.100.66, 203.0.113.9', '203.0.113.9'],
  [2, '198.51.100.66, 203.0.113.9, 10.0.0.1', '203.0.113.9'],
  [2, '203.0.113.9', '192.0.2.1'],
  [1, null, '192.0.2.1'],
  [1, '203.0.113.9:40001', '203.0.113.9'],
  [1, '[2001:db8::1]:443', '2001:db8::1'],
  [1, 'unknown', 'unknown'],
  [1, '203.0.113.9, ', 'unknown'],
  [1, '<script>', 'unknown'],
])('behind %i trusted proxies, X-Forwarded-For: %p is read as %s', (proxies, header, address) => {
  const network = openNetwork({ trustedProxies: proxies, outboundAllow: new Set() }, () =>
    Promise.reject(new Error('not asked')),
  )
  network.listensAs({ peerOf: () => '192.0.2.1', keepOpen: () => undefined })
  const headers = header === null ? {} : { 'x-forwarded-for': header }
  expect(network.addressOf(new Request('http://localhost/', { headers }))).toBe(address)
})
