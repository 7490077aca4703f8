CREATE TABLE `operations` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`node` text NOT NULL,
	`state` text NOT NULL,
	`progress` real,
	`lease_until_at` integer NOT NULL,
	`cancel_at` integer,
	`backend_pid` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`error` text,
	`result_bytes` integer
);
--> statement-breakpoint
CREATE INDEX `operations_by_lease` ON `operations` (`lease_until_at`);--> statement-breakpoint
CREATE INDEX `operations_by_user` ON `operations` (`user_id`);
