import { dlopen } from 'bun:ffi'

import { endWithParent, runTasks } from '../server/tables/child.ts'

endWithParent((option, signal) => {
  const { symbols } = dlopen('libc.so.6', { prctl: { args: ['int', 'u64'], returns: 'int' } })
  symbols.prctl(option, signal)
})
runTasks()
