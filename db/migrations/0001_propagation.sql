CREATE TABLE `uncounted` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `states` ADD `tally` text;--> statement-breakpoint
ALTER TABLE `transitions` ADD `cause_id` integer;--> statement-breakpoint
INSERT INTO `uncounted` (`object_id`, `mark`) SELECT DISTINCT `parent_id`, 1 FROM `objects` WHERE `parent_id` IS NOT NULL;
