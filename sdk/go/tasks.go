package svc

// TaskProgress is the progress of a task of a split request.
type TaskProgress struct {
	// TaskID is never that of the reply.
	TaskID string
	// Title is for people.
	Title string
	// Status is started where the task begins, which voids its earlier text; done, failed or skipped
	// where it ends; empty for text.
	Status string
	// Text is the next piece of the task's text.
	Text string
	// Task has the status, the model and the charge of a task that has ended; else nil.
	Task *OrchestrationTask
}

// taskProgress returns the progress in a chunk or an event; false when it belongs to no task.
func taskProgress(about *ChunkOrchestration, text string) (TaskProgress, bool) {
	if isReply(about) || about.TaskID == "" {
		return TaskProgress{}, false
	}
	progress := TaskProgress{TaskID: about.TaskID, Title: about.Title, Status: about.Status}
	if progress.Title == "" {
		progress.Title = about.TaskID
	}
	switch about.Status {
	case "started":
	case "":
		progress.Text = text
		return progress, text != ""
	default:
		task := &OrchestrationTask{}
		if convert(about, task) == nil {
			progress.Task = task
		}
	}
	return progress, true
}
