import { Job } from '../job/job.mjs';

/** A command of a session as a job. */
class SessionJob extends Job {
  constructor(task) {
    super(task);
    task.onStart();
    this.result.then(task.onEnd);
  }
}

export { SessionJob };
