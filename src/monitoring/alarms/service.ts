export { act } from './service/acting.ts'
export { advanceAlarms, raiseAlarms } from './service/raising.ts'
export { closeBelow, closeOfLinks, tidyAlarms } from './store/changes.ts'
