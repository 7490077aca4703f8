export { act } from './service/acting.ts'
export { advanceAlarms, raiseAlarms } from './service/raising.ts'
export { closeBelow, tidyAlarms } from './store/changes.ts'
export {
  addressLink,
  closeOfLinks,
  countOpenOfLinks,
  findFirstLink,
  hasAddressedLink,
  readdressLinks,
} from './store/links.ts'
