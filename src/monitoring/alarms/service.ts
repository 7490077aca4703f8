export { act } from './service/actions.ts'
export { alarmFigures } from './service/figures.ts'
export { advanceAlarms, raiseAlarms } from './service/raise.ts'
export { closeBelow, deleteOldChanges } from './store/changes.ts'
export type { AlarmRow } from './store.ts'
export {
  addressLink,
  closeOfLinks,
  countOpenOfLinks,
  findFirstLink,
  hasAddressedLink,
  readdressLinks,
} from './store/links.ts'
