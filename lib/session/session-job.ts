import { inside, Job } from '../job/job.ts';
import type { SessionTask } from './session-command.ts';

/** A command of a session as a job. */
class SessionJob extends Job {
  constructor(task: SessionTask) {
    super(task);
    task.onStart();
    inside.over(this).then(task.onEnd);
  }
}

export { SessionJob };
