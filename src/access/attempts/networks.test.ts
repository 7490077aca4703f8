import { expect, test } from 'bun:test'

import { networkOf } from './networks.ts'

test.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['192.0.2.255', '192.0.2.0/24'],
  ['192.0.3.7', '192.0.3.0/24'],
  ['::ffff:192.0.2.9', '192.0.2.0/24'],
  ['2001:db8:1:2aff::1', '2001:db8:1:2a00::/56'],
  ['2001:db8:1:2a00:ffff:ffff:ffff:ffff', '2001:db8:1:2a00::/56'],
  ['2001:DB8:1:2BFF::', '2001:db8:1:2b00::/56'],
  ['2001:db8::1', '2001:db8:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['', ''],
  ['somewhere', 'unknown'],
  ['somewhere else', 'unknown'],
  ['192.0.2.7:1234', 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
