create table if not exists holdfast_fence (
	name varchar(255) not null primary key,
	token bigint not null,
	holder varchar(100) not null,
	updated_at timestamp with time zone not null
);
