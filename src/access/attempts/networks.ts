import { UNKNOWN_ADDRESS } from '../../lib/addresses.ts'

/** The network of an address, within which one sender can take another address: /24 of IPv4, /56 of IPv6. Texts that are not
 * addresses are one network, so that a sender cannot have another with each request. */
export function networkOf(address: string): string {
  const v4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(address)?.[1]
  if (v4 !== undefined) return `${v4}.0/24`
  if (!/^[0-9a-f:]*:[0-9a-f:]*$/i.test(address)) return address === '' ? '' : UNKNOWN_ADDRESS
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  const words = [...left, ...zeros, ...right].map((word) => Number.parseInt(word, 16))
  const network = [...words.slice(0, 3), (words[3] ?? 0) & 0xff00]
  return `${network.map((word) => word.toString(16)).join(':')}::/56`
}
