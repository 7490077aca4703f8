CREATE TABLE `maintenance_changes` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`mark` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `revaluations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`type` text NOT NULL,
	`adjust_to` text NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`name` text NOT NULL,
	`incident` text,
	`comment` text,
	`sla_relevant` integer NOT NULL,
	`active` text NOT NULL,
	`in_past` integer NOT NULL,
	`linked_id` integer,
	`edit_only` integer NOT NULL,
	`running` integer NOT NULL,
	`next_at` integer,
	`cancelled_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `revaluations_by_object` ON `revaluations` (`object_id`,`end_at`);--> statement-breakpoint
CREATE INDEX `revaluations_by_next` ON `revaluations` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX `revaluations_running` ON `revaluations` (`object_id`) WHERE running = 1;--> statement-breakpoint
ALTER TABLE `states` ADD `heard` integer;--> statement-breakpoint
ALTER TABLE `states` ADD `bare` text;--> statement-breakpoint
ALTER TABLE `states` ADD `maintained` integer DEFAULT false NOT NULL;