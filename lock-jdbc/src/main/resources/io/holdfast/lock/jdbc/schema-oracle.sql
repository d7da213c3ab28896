create table holdfast_fence (
	name varchar2(255 char) not null primary key,
	token number(19) not null,
	holder varchar2(100 char) not null,
	updated_at timestamp with time zone not null
);
